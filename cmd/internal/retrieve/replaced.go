package retrieve

import (
	"cmp"
	nethttp "net/http"
	"os"
	"path/filepath"
	"strings"

	"example.org/deref/fetch/save"
)

// replacedType returns the media type of the file that one of many will replace, if its contents show one for certain. It returns "" for text, which
// may be HTML without any mark.
func (r *retrieval) replacedType(o *save.Options) string {
	path := o.Path
	if r.item == nil || path == "-" || path == "" && !o.Force {
		return "" // no file will be replaced
	}
	if path = cmp.Or(path, r.item.Name, save.NameOf(r.uri)); !filepath.IsAbs(path) {
		path = filepath.Join(r.flags.dir, path)
	}
	if i, err := os.Stat(path); err != nil || !i.Mode().IsRegular() { // do not open a device or FIFO
		return ""
	}
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	var begin [512]byte
	n, _ := f.Read(begin[:])
	t := nethttp.DetectContentType(begin[:n])
	if n == 0 || strings.HasPrefix(t, "text/") {
		return ""
	}
	return t
}
