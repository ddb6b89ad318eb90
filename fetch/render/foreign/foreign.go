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
			c.rebase(z)
		}
		if kind == html.SelfClosingTagToken && isXML && z.Name() != "br" { // an empty element, not a start tag with a slash
			c.token(z, html.StartTagToken)
			kind = html.EndTagToken
		}
		c.token(z, kind)
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

func (c *copier) token(z *markup.Tokenizer, kind html.TokenType) {
	if c.skip != "" {
		if kind == html.EndTagToken && z.Name() == c.skip {
			c.skip = ""
		}
		return
	}
	switch kind {
	case html.TextToken:
		c.put(html.EscapeString(string(z.Text())))
	case html.StartTagToken, html.SelfClosingTagToken:
		c.start(z, kind)
	case html.EndTagToken:
		if kept(z.Name()) {
			c.put("</" + z.Name() + ">")
		}
	}
}

func (c *copier) put(s string) {
	if c.err == nil {
		_, c.err = io.WriteString(c.w, s)
	}
}

func (c *copier) start(z *markup.Tokenizer, kind html.TokenType) {
	switch name := z.Name(); name {
	case "script", "style", "template", "object", "svg", "math", "noembed", "title", "button", "select", "textarea":
		if kind == html.StartTagToken {
			c.skip = name
		}
	case "frame", "iframe":
		c.elsewhere(z, "frame")
	case "img":
		c.image(z)
	case "a", "area":
		c.link(z)
	default:
		if kept(name) {
			c.put("<" + name + attributes(z) + ">")
		}
	}
}

// rebase applies the document's BASE.
func (c *copier) rebase(z *markup.Tokenizer) {
	if u, err := c.base.Resolve(attribute(z, "href")); err == nil && markup.CanBeBase(u.Scheme()) {
		c.base.Base = u
	}
}

// link copies an anchor. A link within the page is unchanged.
func (c *copier) link(z *markup.Tokenizer) {
	s := "<a" + attributes(z)
	if ref := strings.TrimSpace(attribute(z, "href")); strings.HasPrefix(ref, "#") {
		s += " href=\"about:srcdoc" + html.EscapeString(ref) + "\""
	} else if to := c.resolve(ref, c.links.To); to != "" {
		s += outward + html.EscapeString(to) + "\""
	}
	c.put(s + ">")
}

// image copies an image, or its alternative text.
func (c *copier) image(z *markup.Tokenizer) {
	if c.links.Image != nil {
		if from := c.resolve(attribute(z, "src"), c.links.Image); from != "" {
			c.put("<img src=\"" + html.EscapeString(from) + "\" alt=\"" + html.EscapeString(attribute(z, "alt")) + "\"" + attributes(z) + ">")
			return
		}
	}
	name := cmp.Or(attribute(z, "alt"), "image")
	if to := c.resolve(attribute(z, "src"), c.links.To); to != "" {
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
func (c *copier) elsewhere(z *markup.Tokenizer, name string) {
	if to := c.resolve(attribute(z, "src"), c.links.To); to != "" {
		if n := attribute(z, "name"); n != "" {
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

func attribute(z *markup.Tokenizer, name string) string {
	for key, value := range z.Attributes() {
		if key == name {
			return value
		}
	}
	return ""
}

// attributes returns the attributes that describe the text.
func attributes(z *markup.Tokenizer) string {
	var b strings.Builder
	for key, value := range z.Attributes() {
		switch key {
		case "id", "name", "title", "lang", "dir", "colspan", "rowspan", "align", "valign", "start", "value", "type", "border", "compact", "datetime", "summary", "abbr", "scope", "headers", "open", "width", "height":
			b.WriteString(" " + key + "=\"" + html.EscapeString(value) + "\"")
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
