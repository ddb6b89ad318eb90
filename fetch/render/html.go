package render

import (
	"bufio"
	"html"
	"io"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// htmlView writes a page: one heading, one main part, no script, no style but the reader's own. An HTML document is its own view.
func htmlView(w io.Writer, d *fetch.Document, o *Options) error {
	if !listed(d) && isHTML(d.Type) {
		_, err := io.Copy(w, d.Body)
		return err
	}
	var r io.Reader
	if !listed(d) {
		var err error
		if r, err = readText(d); err != nil {
			return err
		}
	}
	t := &trouble{w: w}
	p := &page{b: bufio.NewWriterSize(t, chunk), o: o}
	p.begin(d)
	var err error
	if r != nil {
		err = p.text(r)
	} else {
		err = p.list(d)
	}
	p.end(err)
	if t.err != nil {
		return t.err
	}
	return err
}

// A page is an HTML page that is being written.
type page struct {
	b    *bufio.Writer
	o    *Options
	open string // the element that entries are in: "ul", "table", "pre" or ""
}

func (p *page) begin(d *fetch.Document) {
	name := p.o.Title
	if name == "" {
		name = d.URI.Redacted(nil)
	}
	name = safe(utf8Text(name))
	p.b.WriteString("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n" +
		"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n" +
		"<title>" + name + "</title>\n</head>\n<body>\n<main>\n<h1>" + name + "</h1>\n")
}

// end closes what is open. An error is said, since the reader sees no exit status.
func (p *page) end(err error) {
	p.in("")
	if err != nil {
		p.b.WriteString("<p role=\"alert\">The document ends here: " + safe(err.Error()) + "</p>\n")
	}
	p.b.WriteString("</main>\n</body>\n</html>\n")
	p.b.Flush()
}

// text shows a document of text. Its language is not known.
func (p *page) text(r io.Reader) error {
	p.in("pre")
	buf := make([]byte, chunk)
	rest := 0
	for {
		n, err := r.Read(buf[rest:])
		n += rest
		whole := n
		if err == nil {
			whole = lastWhole(buf[:n])
		}
		p.b.WriteString(safe(string(buf[:whole])))
		rest = copy(buf, buf[whole:n])
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// lastWhole returns how much of p is whole characters; a CR at the end waits for its LF.
func lastWhole(p []byte) int {
	n := len(p)
	if n > 0 && p[n-1] == '\r' {
		return n - 1
	}
	for i := 1; i <= 3 && i <= n; i++ {
		switch c := p[n-i]; {
		case c < 0x80:
			return n
		case c >= 0xf0 && i < 4, c >= 0xe0 && c < 0xf0 && i < 3, c >= 0xc0 && c < 0xe0 && i < 2:
			return n - i
		case c >= 0xc0:
			return n
		}
	}
	return n
}

// list shows entries: links as list items, or rows of a table where they have dates and sizes, and text lines between them as
// they stand.
func (p *page) list(d *fetch.Document) error {
	n, columns := 0, false
	for e, err := range d.Entries {
		if err != nil {
			return err
		}
		if e.URI.IsZero() {
			p.in("pre")
			p.b.WriteString(safe(title(e)) + "\n")
			continue
		}
		if n++; n == 1 {
			columns = e.Size >= 0 || !e.Modified.IsZero()
		}
		p.entry(e, columns)
	}
	if n == 0 {
		p.in("")
		p.b.WriteString("<p>Nothing here leads on.</p>\n")
	}
	return nil
}

func (p *page) entry(e fetch.Entry, columns bool) {
	link := safe(title(e) + mark(e.Kind))
	if href := p.href(e.URI); href != "" {
		link = "<a href=\"" + safe(href) + "\">" + link + "</a>"
	}
	if !columns {
		p.in("ul")
		p.b.WriteString("<li>" + link)
		p.attributes(e)
		p.b.WriteString("</li>\n")
		return
	}
	p.in("table")
	p.b.WriteString("<tr><th scope=\"row\">" + link + "</th><td>" + size(e) + "</td><td>" + dateHTML(e) + "</td></tr>\n")
}

// attributes shows those of an entry of a directory.
func (p *page) attributes(e fetch.Entry) {
	n := 0
	for a := range attributes(e) {
		if n++; n == 1 {
			p.b.WriteString("\n<dl>\n")
		}
		text := safe(a.text)
		if !a.link.IsZero() {
			if href := p.href(a.link); href != "" {
				text = "<a href=\"" + safe(href) + "\">" + text + "</a>"
			}
		}
		p.b.WriteString("<dt>" + safe(a.name) + "</dt><dd>" + text + "</dd>\n")
	}
	if n > 0 {
		p.b.WriteString("</dl>\n")
	}
}

func dateHTML(e fetch.Entry) string {
	if e.Modified.IsZero() {
		return ""
	}
	return "<time datetime=\"" + e.Modified.UTC().Format("2006-01-02T15:04:05Z") + "\">" + date(e) + "</time>"
}

// in closes the element that is open and opens another, if they differ.
func (p *page) in(element string) {
	if element == p.open {
		return
	}
	switch p.open {
	case "table":
		p.b.WriteString("</tbody>\n</table>\n")
	case "ul", "pre":
		p.b.WriteString("</" + p.open + ">\n")
	}
	p.open = element
	switch element {
	case "table":
		p.b.WriteString("<table>\n<caption>Entries</caption>\n<thead><tr><th scope=\"col\">Name</th><th scope=\"col\">Octets</th><th scope=\"col\">Modified (UTC)</th></tr></thead>\n<tbody>\n")
	case "ul":
		p.b.WriteString("<ul>\n")
	case "pre":
		p.b.WriteString("<pre lang=\"\">\n") // the first line end in pre is not part of it
	}
}

// href returns where a link leads. A menu must not make the reader's browser run something, or show a page of its own making
// under the address of this one.
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

// safe escapes text for HTML. Characters that HTML may not have at all are replaced.
func safe(s string) string {
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
