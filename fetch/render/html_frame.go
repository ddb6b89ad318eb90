package render

import (
	"io"
	"strings"

	"example.org/deref/uri"
)

// frame shows a foreign HTML page in a frame, without scripts, forms and an origin. Following one of its links replaces our page. images
// reports whether images of its server may be loaded. Those of mail may not: loading them would show the sender that the message is being
// read.
func (p *page) frame(r io.Reader, base uri.Resolver, name string, images bool) error {
	p.in("", "")
	p.b.WriteString("<iframe sandbox=\"allow-top-navigation-by-user-activation\" title=\"" + EscapeHTML(name) + "\" srcdoc=\"")
	q := &quoted{p.b}
	io.WriteString(q, "<!DOCTYPE html><html><head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\"><style>"+Style+"</style></head><body>")
	err := p.o.Foreign(q, r, base, p.href, images)
	p.b.WriteString("\"></iframe>\n")
	return err
}

// quoted escapes text for an attribute.
type quoted struct{ w io.Writer }

func (q *quoted) Write(b []byte) (int, error) {
	_, err := io.WriteString(q.w, strings.NewReplacer("&", "&amp;", "\"", "&quot;").Replace(string(b)))
	return len(b), err
}
