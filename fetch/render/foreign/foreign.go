// Package foreign copies untrusted HTML pages so that they can be shown within a page of ours.
//
// It copies text, headings, lists, tables and links. It omits scripts, styles, the targets of forms, and elements that load something, and the
// caller rewrites each link. The copy alone does not make a page safe: it must be shown in a frame without scripts and origin, as render.View
// does.
package foreign

import (
	"io"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

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
		if kind == html.SelfClosingTagToken && isXML && t.DataAtom != atom.Br { // an empty element, not a start tag with a slash
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
	skip  atom.Atom // the element whose content is omitted
}

func (c *copier) token(t html.Token) {
	if c.skip != 0 {
		if t.Type == html.EndTagToken && t.DataAtom == c.skip {
			c.skip = 0
		}
		return
	}
	switch t.Type {
	case html.TextToken:
		c.put(html.EscapeString(t.Data))
	case html.StartTagToken, html.SelfClosingTagToken:
		c.start(t)
	case html.EndTagToken:
		if kept(t.DataAtom) {
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
	switch t.DataAtom {
	case atom.Script, atom.Style, atom.Template, atom.Object, atom.Svg, atom.Math, atom.Noembed, atom.Title, atom.Button, atom.Select, atom.Textarea:
		if t.Type == html.StartTagToken {
			c.skip = t.DataAtom
		}
	case atom.Frame, atom.Iframe:
		c.elsewhere(t, "frame")
	case atom.Img:
		c.image(t)
	case atom.A, atom.Area:
		c.link(t)
	default:
		if kept(t.DataAtom) {
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
		s += " target=\"_top\" rel=\"noreferrer\" href=\"" + html.EscapeString(to) + "\""
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
	name := attribute(t, "alt")
	if name == "" {
		name = "image"
	}
	if to := c.resolve(attribute(t, "src"), c.links.To); to != "" {
		c.put("[<a target=\"_top\" rel=\"noreferrer\" href=\"" + html.EscapeString(to) + "\">" + html.EscapeString(name) + "</a>]")
		return
	}
	c.put("[" + html.EscapeString(name) + "]")
}

// elsewhere writes a link to something that the page would load.
func (c *copier) elsewhere(t html.Token, name string) {
	if to := c.resolve(attribute(t, "src"), c.links.To); to != "" {
		if n := attribute(t, "name"); n != "" {
			name += " " + n
		}
		c.put("<p>[<a target=\"_top\" rel=\"noreferrer\" href=\"" + html.EscapeString(to) + "\">" + html.EscapeString(name) + "</a>]</p>")
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

// kept reports whether an element is copied. Of other elements only the content is copied.
func kept(a atom.Atom) bool {
	elements := [...]atom.Atom{
		atom.A, atom.Abbr, atom.Acronym, atom.Address, atom.Article, atom.Aside, atom.B, atom.Bdi, atom.Bdo, atom.Big, atom.Blockquote, atom.Br, atom.Caption, atom.Center, atom.Cite,
		atom.Code, atom.Col, atom.Colgroup, atom.Dd, atom.Del, atom.Details, atom.Dfn, atom.Dir, atom.Div, atom.Dl, atom.Dt, atom.Em, atom.Figcaption, atom.Figure, atom.Footer,
		atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Header, atom.Hr, atom.I, atom.Ins, atom.Kbd, atom.Li, atom.Listing, atom.Main, atom.Map, atom.Mark, atom.Menu, atom.Nav,
		atom.Nobr, atom.Ol, atom.P, atom.Plaintext, atom.Pre, atom.Q, atom.S, atom.Samp, atom.Section, atom.Small, atom.Span, atom.Strike, atom.Strong, atom.Sub, atom.Summary, atom.Sup,
		atom.Table, atom.Tbody, atom.Td, atom.Tfoot, atom.Th, atom.Thead, atom.Time, atom.Tr, atom.Tt, atom.U, atom.Ul, atom.Var, atom.Wbr, atom.Xmp,
	}
	return slices.Contains(elements[:], a)
}
