package render

import (
	"bufio"
	"cmp"
	"fmt"
	"html"
	"io"
	"strings"
	"unicode/utf8"

	"example.org/deref/fetch"
	"example.org/deref/fetch/charset"
	"example.org/deref/fetch/mediatype"
	"example.org/deref/uri"
)

// htmlView writes a page with one heading and one main part, without scripts and resources of other servers. If Options.Foreign is nil, an HTML
// document is copied unchanged.
func htmlView(w io.Writer, d *fetch.Document, o *Options) error {
	if !IsListed(d) && mediatype.IsPage(d.Type) && !o.Inner && o.Foreign == nil {
		_, err := io.Copy(w, d.Body)
		return err
	}
	p := &page{b: bufio.NewWriterSize(w, chunk), o: o}
	show, err := p.view(d)
	if err != nil {
		return err
	}
	if !o.Inner {
		p.begin(d)
	}
	err = show()
	p.end(err)
	return cmp.Or(p.b.Flush(), err)
}

// view returns the function that shows d.
func (p *page) view(d *fetch.Document) (show func() error, err error) {
	p.chosen, p.base = d.Charset, d.Base
	if IsListed(d) {
		return func() error { return p.list(d) }, nil
	}
	if isMessage(d.Type) {
		return func() error { return writeMessage(p, d.Body) }, nil
	}
	r, base, err := readText(d, p.o)
	if err != nil {
		return nil, err
	}
	if mediatype.IsPage(d.Type) && p.o.Foreign != nil {
		return func() error { return p.frame(r, d.Type, base, d.URI.Redacted(nil), p.o.Original, true) }, nil
	}
	return func() error { return p.text(r) }, nil
}

// A page writes an HTML page.
type page struct {
	b       *bufio.Writer
	o       *Options
	open    Markup        // the start tags of the open element around entries; "" for none
	closing Markup        // its end tags
	chosen  string        // Document.Charset
	base    uri.URI       // Document.Base
	at      position      // of the message
	held    []fetch.Entry // messages not shown yet; replies are below the messages they reply to
	shown   bool          // an entry
	layout  layout        // of the table of entries
	head    Markup        // its beginning
	ordered bool          // the links to other orders of the messages are shown
	titled  bool          // the first heading of gemtext is that of the page
	level   int           // of the last heading of gemtext
	defines bool          // the entries are words, each before its definition
}

func (p *page) begin(d *fetch.Document) {
	name := p.o.Title
	if name == "" {
		name = d.URI.Redacted(nil)
	}
	name = charset.Text(name)
	p.put("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"+
		"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"+
		"<title>%s</title>\n<style>%s</style>\n</head>\n<body>\n<main>\n<h1>%[1]s</h1>\n", name, Style)
}

// end closes open elements. It shows err, since the reader does not see an exit status.
func (p *page) end(err error) {
	p.in("", "")
	if err != nil {
		p.put("<p role=\"alert\">The document ends here: %s</p>\n", err)
	}
	if !p.o.Inner {
		p.put("</main>\n</body>\n</html>\n")
	}
}

// text shows a text document, whose language is unknown.
func (p *page) text(r io.Reader) error {
	p.in(preOpen, preEnd)
	buf := make([]byte, chunk)
	rest := 0
	for {
		n, err := r.Read(buf[rest:])
		n += rest
		whole := n
		if err == nil {
			whole = lastWord(buf[:n])
		}
		p.put("%s", p.linkedText(string(buf[:whole])))
		rest = copy(buf, buf[whole:n])
		p.b.Flush() // show it while the rest arrives
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// lastWhole returns how much of p is complete characters. A CR at the end is incomplete, since an LF may follow.
func lastWhole(p []byte) int {
	n := len(p)
	if n > 0 && p[n-1] == '\r' {
		return n - 1
	}
	for i := n - 1; i >= max(0, n-utf8.UTFMax); i-- {
		if utf8.RuneStart(p[i]) && !utf8.FullRune(p[i:]) {
			return i
		}
	}
	return n
}

// href returns the reference of a link, or "" for text. A menu must not make the browser run a program, or show a page of its own under the
// address of this one.
func (p *page) href(u uri.URI) string {
	if p.o.Href != nil {
		return p.o.Href(u)
	}
	switch u.Scheme() {
	case "javascript", "vbscript", "data", "blob", "view-source":
		return ""
	}
	return Absolute(u.WithoutPassword())
}

// Markup is HTML. Foreign text in it is escaped.
type Markup string

// HTMLf returns format with its arguments, as fmt.Sprintf does. All but Markup and numbers are escaped.
func HTMLf(format string, args ...any) Markup {
	for i, a := range args {
		switch a.(type) {
		case Markup, int, int64:
		default:
			args[i] = escapeHTML(fmt.Sprint(a))
		}
	}
	return Markup(fmt.Sprintf(format, args...))
}

// put writes HTML as HTMLf returns it.
func (p *page) put(format string, args ...any) { p.b.WriteString(string(HTMLf(format, args...))) }

// escapeHTML escapes foreign text for HTML. It replaces characters that are invalid in HTML, and those that reorder text.
func escapeHTML(s string) string {
	s = strings.ReplaceAll(s, "\r\n", "\n")
	s = strings.Map(func(r rune) rune {
		switch {
		case r == '\n', r == '\t':
			return r
		case r < ' ', r >= 0x7f && r < 0xa0, isReordering(r), r&0xfffe == 0xfffe, r >= 0xfdd0 && r <= 0xfdef:
			return '\uFFFD'
		}
		return r
	}, s)
	return html.EscapeString(s)
}

// isReordering reports whether r is a line or paragraph separator, or a bidirectional embedding, override or isolate. Browsers order text by
// the other bidirectional characters within a line only.
func isReordering(r rune) bool {
	return r == 0x2028 || r == 0x2029 || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069
}
