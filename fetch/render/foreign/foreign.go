// Package foreign copies untrusted HTML pages so that they can be shown within a page of ours.
//
// It copies text, headings, lists, tables and links. It omits scripts, styles, the targets of forms, and elements that load something, and the
// caller rewrites each link. The copy alone does not make a page safe: it must be shown in a frame without scripts and origin, as render.View
// does.
package foreign

import (
	"cmp"
	"io"
	"strings"

	"golang.org/x/net/html"

	"example.org/deref/fetch"
	"example.org/deref/uri"
	"example.org/deref/uri/markup"
)

// tokenMax bounds a tag, or text without tags.
const tokenMax = 1 << 20

// Links rewrite references. A result of "" removes the reference.
type Links struct {
	To    func(uri.URI) string // of a link
	Image func(uri.URI) string // of an image; nil shows its alternative text and a link
}

// Write copies the page r, whose text must be UTF-8, to w. isXML reports whether it is XHTML, which it is not any more in w. base resolves its references.
func Write(w io.Writer, r io.Reader, isXML bool, base uri.Resolver, l Links) error {
	c := &copier{w: w, base: base, links: l}
	z := markup.New(r, tokenMax).XML(isXML)
	for {
		kind := z.Next()
		if kind == html.ErrorToken {
			if z.Err() == io.EOF {
				return c.err
			}
			return fetch.LimitError(z.Err())
		}
		if c.err != nil {
			return c.err
		}
		if z.IsBase() {
			c.rebase(z.Token())
		}
		t := z.Token()
		if kind == html.SelfClosingTagToken && isXML && t.Data != "br" { // an empty element, not a start tag with a slash
			t.Type = html.StartTagToken
			c.token(t)
			t.Type = html.EndTagToken
		}
		c.token(t)
	}
}

// A copier copies a page.
type copier struct {
	w     io.Writer
	err   error
	base  uri.Resolver
	links Links
	skip  string // the element whose content is omitted
}

func (c *copier) token(t html.Token) {
	if c.skip != "" {
		if t.Type == html.EndTagToken && t.Data == c.skip {
			c.skip = ""
		}
		return
	}
	switch t.Type {
	case html.TextToken:
		c.put(html.EscapeString(t.Data))
	case html.StartTagToken, html.SelfClosingTagToken:
		c.start(t)
	case html.EndTagToken:
		if kept(t.Data) {
			c.put("</" + t.Data + ">")
		}
	}
}

func (c *copier) put(s string) {
	if c.err == nil {
		_, c.err = io.WriteString(c.w, s)
	}
}

func (c *copier) start(t html.Token) {
	switch t.Data {
	case "script", "style", "template", "object", "svg", "math", "noembed", "title", "button", "select", "textarea":
		if t.Type == html.StartTagToken {
			c.skip = t.Data
		}
	case "frame", "iframe":
		c.elsewhere(t, "frame")
	case "img":
		c.image(t)
	case "a", "area":
		c.link(t)
	default:
		if kept(t.Data) {
			c.put("<" + t.Data + attributes(t) + ">")
		}
	}
}

// rebase applies the document's BASE.
func (c *copier) rebase(t html.Token) {
	if u, err := c.base.Resolve(attribute(t, "href")); err == nil && markup.CanBeBase(u.Scheme()) {
		c.base.Base = u
	}
}

// link copies an anchor. A link within the page is unchanged.
func (c *copier) link(t html.Token) {
	s := "<a" + attributes(t)
	if ref := strings.TrimSpace(attribute(t, "href")); strings.HasPrefix(ref, "#") {
		s += " href=\"about:srcdoc" + html.EscapeString(ref) + "\""
	} else if to := c.resolve(ref, c.links.To); to != "" {
		s += outward + html.EscapeString(to) + "\""
	}
	c.put(s + ">")
}

// image copies an image, or its alternative text.
func (c *copier) image(t html.Token) {
	if c.links.Image != nil {
		if from := c.resolve(attribute(t, "src"), c.links.Image); from != "" {
			c.put("<img src=\"" + html.EscapeString(from) + "\" alt=\"" + html.EscapeString(attribute(t, "alt")) + "\"" + attributes(t) + ">")
			return
		}
	}
	name := cmp.Or(attribute(t, "alt"), "image")
	if to := c.resolve(attribute(t, "src"), c.links.To); to != "" {
		c.put(linked(to, name))
		return
	}
	c.put("[" + html.EscapeString(name) + "]")
}

// outward are the attributes of a link that leaves the frame.
const outward = ` target="_top" rel="noreferrer" href="`

// linked returns a link in brackets, which stands for what is not shown.
func linked(to, name string) string {
	return "[<a" + outward + html.EscapeString(to) + "\">" + html.EscapeString(name) + "</a>]"
}

// elsewhere writes a link to something that the page would load.
func (c *copier) elsewhere(t html.Token, name string) {
	if to := c.resolve(attribute(t, "src"), c.links.To); to != "" {
		if n := attribute(t, "name"); n != "" {
			name += " " + n
		}
		c.put("<p>" + linked(to, name) + "</p>")
	}
}

// resolve returns the reference that the caller makes of ref.
func (c *copier) resolve(ref string, what func(uri.URI) string) string {
	if ref = strings.TrimSpace(ref); ref == "" {
		return ""
	}
	u, err := c.base.Resolve(ref)
	if err != nil {
		return ""
	}
	return what(u)
}

func attribute(t html.Token, name string) string {
	for _, a := range t.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

// attributes returns the attributes that describe the text.
func attributes(t html.Token) string {
	var b strings.Builder
	for _, a := range t.Attr {
		switch a.Key {
		case "id", "name", "title", "lang", "dir", "colspan", "rowspan", "align", "valign", "start", "value", "type", "border", "compact", "datetime", "summary", "abbr", "scope", "headers", "open", "width", "height":
			if a.Namespace == "" {
				b.WriteString(" " + a.Key + "=\"" + html.EscapeString(a.Val) + "\"")
			}
		}
	}
	return b.String()
}

// elements are copied. Of other elements only the content is copied.
const elements = " a abbr acronym address article aside b bdi bdo big blockquote br caption center cite code col colgroup dd del details dfn dir div dl dt em " +
	"figcaption figure footer h1 h2 h3 h4 h5 h6 header hr i ins kbd li listing main map mark menu nav nobr ol p plaintext pre q s samp section small span " +
	"strike strong sub summary sup table tbody td tfoot th thead time tr tt u ul var wbr xmp "

// kept reports whether an element is copied.
func kept(name string) bool { return strings.Contains(elements, " "+name+" ") }
