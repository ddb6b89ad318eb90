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

// earlierType returns the media type of the file that it is about to replace, as far as its octets show one for certain, and "" for a text,
// which may be a page without any mark.
func (g *getter) earlierType(it *batch.Item, o *save.Options) string {
	path := o.Path
	if path == "-" || path == "" && !o.Force {
		return "" // no file is replaced
	}
	if path == "" {
		path = filepath.Join(cmp.Or(g.flags.dir, "."), cmp.Or(it.Name, save.NameOf(it.URI)))
	}
	if i, err := os.Stat(path); err != nil || !i.Mode().IsRegular() { // a device or FIFO is not opened for this
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

// warnOfPortal says that what has come for an item is probably not its document.
func (g *getter) warnOfPortal(it *batch.Item, r save.Result, had string) {
	if why := portal.Suspect(it.URI, r.Document, had); why != "" {
		g.progress.aside(func() { g.app.Warn(errors.New(g.schemes.Redact(it.URI) + ": " + why)) })
	}
}
