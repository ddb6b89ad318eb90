package retrieve

import (
	"cmp"
	"errors"
	nethttp "net/http"
	"os"
	"path/filepath"
	"strings"

	"example.org/deref/fetch/batch"
	"example.org/deref/fetch/portal"
	"example.org/deref/fetch/save"
)

// replacedType returns the media type of the file that the item will replace, if its contents show one for certain. It returns "" for text, which
// may be HTML without any mark.
func (c *command) replacedType(it *batch.Item, o *save.Options) string {
	path := o.Path
	if path == "-" || path == "" && !o.Force {
		return "" // no file will be replaced
	}
	if path == "" {
		path = filepath.Join(cmp.Or(c.flags.dir, "."), cmp.Or(it.Name, save.NameOf(it.URI)))
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

// warnOfPortal prints a warning if an item's document is probably the page of a captive portal.
func (c *command) warnOfPortal(it *batch.Item, r save.Result, had string) {
	if why := portal.Suspect(it.URI, r.Document, had); why != "" {
		c.progress.aside(func() { c.app.Warn(errors.New(c.schemes.Redact(it.URI) + ": " + why)) })
	}
}
