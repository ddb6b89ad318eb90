package render

import (
	"io"
	"strings"

	"example.org/deref/uri"
)

// frame shows a foreign HTML page within ours: as a document of its own, without scripts, forms and an origin. Its links replace our page
// when somebody follows them.
// Its images are its server's, or nobody's: an image of a letter would tell its sender who reads it when.
func (p *page) frame(r io.Reader, base uri.URI, name string, images bool) error {
	p.in("", "")
	p.b.WriteString("<iframe sandbox=\"allow-top-navigation-by-user-activation\" title=\"" + EscapeHTML(name) + "\" srcdoc=\"")
	q := &quoted{p.b}
	io.WriteString(q, "<!DOCTYPE html><html><head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\"><style>"+Style+"</style></head><body>")
	err := p.o.Foreign(q, r, base, p.href, images)
	p.b.WriteString("\"></iframe>\n")
	return err
}

// quoted writes what stands in an attribute.
type quoted struct{ w io.Writer }

func (q *quoted) Write(b []byte) (int, error) {
	_, err := io.WriteString(q.w, strings.NewReplacer("&", "&amp;", "\"", "&quot;").Replace(string(b)))
	return len(b), err
}
