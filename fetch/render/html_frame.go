package render

import (
	"bytes"
	"io"
	"strings"

	"example.org/deref/fetch/mediatype"
	"example.org/deref/uri"
)

// maxFallback is the length of a page whose text is also within the frame, for browsers without frames.
const maxFallback = 256 << 10

// frame shows a foreign HTML page in a frame, without scripts, forms and an origin. Following one of its links replaces our page. images
// reports whether images of its server may be loaded. Those of mail may not: loading them would show the sender that the message is being
// read. original is the reference of the page itself, for browsers without frames; they also show the text within the element.
func (p *page) frame(r io.Reader, mediaType string, base uri.Resolver, name, original string, images bool) error {
	isXML := mediatype.IsXML(mediaType)
	p.in("", "")
	p.put("<iframe sandbox=\"allow-top-navigation-by-user-activation\" title=\"%s\" srcdoc=\"", name)
	q := &quoted{p.b, strings.NewReplacer("&", "&amp;", "\"", "&quot;", "\x00", "\uFFFD")}
	io.WriteString(q, "<!DOCTYPE html><html><head><meta charset=\"utf-8\">"+
		"<meta name=\"viewport\" content=\"width=device-width\"><style>"+string(Style)+"</style></head><body>")
	var beginning bytes.Buffer
	kept := &limited{&beginning, maxFallback}
	err := p.o.Foreign(q, io.TeeReader(r, kept), isXML, base, p.href, images)
	p.put("\">\n")
	if original != "" {
		p.put("<p><a href=\"%s\">The page without a frame</a></p>\n", original)
	}
	if p.o.Page != nil && kept.left > 0 {
		var text bytes.Buffer
		if p.o.Page(&text, &beginning, isXML, base, defaultWidth) == nil {
			p.put("<pre>\n%s</pre>\n", p.linkedText(text.String()))
		}
	}
	p.put("</iframe>\n")
	return err
}

// limited keeps the beginning of what is written.
type limited struct {
	b    *bytes.Buffer
	left int
}

func (l *limited) Write(p []byte) (int, error) {
	n := min(len(p), l.left)
	l.b.Write(p[:n])
	l.left -= n
	return len(p), nil
}

// quoted escapes text for an attribute.
type quoted struct {
	w      io.Writer
	escape *strings.Replacer
}

func (q *quoted) Write(b []byte) (int, error) {
	_, err := q.escape.WriteString(q.w, string(b))
	return len(b), err
}
