// Package htmltext converts HTML pages, of today and of 1992, to text with numbered links:
//
//	The WorldWideWeb (W3) is a wide-area [1]hypermedia information retrieval initiative
//
//	References
//	 [1] http://info.cern.ch/hypertext/WWW/WhatIs.html
//
// It processes one token after the other and builds no tree, so long and deeply nested pages do not need memory. P, LI, DT and DD do not have to
// be closed. XMP, LISTING and PLAINTEXT are verbatim.
//
// Two libraries were tried. k3a/html2text v1.3.0 parses XMP and PLAINTEXT as markup, joins table cells, and loses links whose attribute is on
// another line. html-to-markdown v2.5.2 collapses verbatim text, fails if elements are nested deeper than 512, and needs 700 MiB for a page of 16
// MiB.
//
// Wrap breaks text into lines for a terminal, whose columns are cells: a wide character takes two, a combining mark none.
package htmltext

import (
	"cmp"
	"io"
	"iter"
	"strings"

	"golang.org/x/net/html"

	"example.org/deref/fetch"
	"example.org/deref/uri"
	"example.org/deref/uri/markup"
)

// tokenMax bounds a tag, or text without tags.
const tokenMax = 16 << 20

// Render writes the page r, whose text is UTF-8, as text to w. isXML reports whether it is XHTML. base resolves its references. width is the width of
// running text in columns.
func Render(w io.Writer, r io.Reader, isXML bool, base uri.Resolver, width int) error {
	return printTo(&printer{w: w}, r, isXML, base, width)
}

// A Mark is a place in the text of a page: the beginning of the element with a name. Without a name, it is that of the text of a link, or the end
// of such a text if Link is 0. Form is what a link to a form asks for. Level is that of a heading, 1 to 6, which begins there.
type Mark struct {
	Name  string
	Link  int
	Form  *Form
	Level int
}

// Text is Render without the list of references, for a program that follows the links by itself. mark is called for each Mark between the writes of
// the text before and after it. If mark is nil, the links have no numbers.
func Text(w io.Writer, r io.Reader, isXML bool, base uri.Resolver, width int, mark func(Mark)) error {
	return printTo(&printer{w: w, bare: true, mark: mark}, r, isXML, base, width)
}

func printTo(p *printer, r io.Reader, isXML bool, base uri.Resolver, width int) error {
	p.width, p.column, p.linker.base = max(width, 20), atStart, base
	err := tokens(r, isXML, p.token)
	p.finishForm()
	p.end()
	return cmp.Or(err, p.err)
}

// Links yields the links of the page r, whose text is UTF-8, in the order in which Render numbers them. isXML reports whether it is XHTML. Title is the
// text of the link.
func Links(r io.Reader, isXML bool, base uri.Resolver) iter.Seq2[fetch.Entry, error] {
	return func(yield func(fetch.Entry, error) bool) {
		c := &collector{linker: linker{base: base}, yield: yield}
		err := c.read(r, isXML)
		if err != nil && !c.done {
			yield(fetch.Entry{}, err)
		}
	}
}

// tokens calls each for the tokens of a page, until it returns false.
func tokens(r io.Reader, isXML bool, each func(*markup.Tokenizer, html.TokenType) bool) error {
	z := markup.New(r, tokenMax).XML(isXML)
	for {
		kind := z.Next()
		if kind == html.ErrorToken {
			if z.Err() == io.EOF {
				return nil
			}
			return fetch.LimitError(z.Err())
		}
		if kind == html.SelfClosingTagToken && isXML { // an empty element, not a start tag with a slash
			each(z, html.StartTagToken)
			kind = html.EndTagToken
		}
		if !each(z, kind) {
			return nil
		}
	}
}

// A tag is a start tag with the attributes that this package uses.
type tag struct {
	name                                      string
	href, src, alt, value, kind               string
	id                                        string // ID, or NAME of an A without one
	field, action, method                     string // of forms; field is NAME
	content, equiv, prompt                    string
	hasHref, hasSrc, hasAction, isSelfClosing bool
	hasValue, isOn, isDisabled                bool // isOn is CHECKED or SELECTED
	isBase                                    bool
}

func readTag(z *markup.Tokenizer) tag {
	t := tag{name: z.Name(), isBase: z.IsBase()}
	older, hasOlder := "", false
	for key, value := range z.Attributes() {
		switch key {
		case "href":
			t.href, t.hasHref = value, true
		case "xlink:href": // of SVG 1.1; SVG 2 section 16.1.6 prefers href
			older, hasOlder = value, true
		case "src":
			t.src, t.hasSrc = value, true
		case "alt":
			t.alt = value
		case "value":
			t.value, t.hasValue = value, true
		case "type":
			t.kind = strings.ToLower(value)
		case "id":
			t.id = value
		case "name":
			t.field = value
		case "action":
			t.action, t.hasAction = value, true
		case "method":
			t.method = value
		case "checked", "selected":
			t.isOn = true
		case "disabled":
			t.isDisabled = true
		case "content":
			t.content = value
		case "http-equiv":
			t.equiv = value
		case "prompt":
			t.prompt = value
		}
	}
	if t.id == "" && t.name == "a" {
		t.id = t.field
	}
	if hasOlder && !t.hasHref {
		t.href, t.hasHref = older, true
	}
	return t
}

// A linker numbers the links of a page.
type linker struct {
	base uri.Resolver
	n    int
	form *form // the open one
}

// A link is a link of a page. title is its title in the markup, used if there is no text between its tags.
type link struct {
	uri   uri.URI
	kind  fetch.EntryKind
	title string
	form  *Form // nil if the link is not a form
}

// follow returns the link of t. An invalid reference is not a link and has no number.
func (l *linker) follow(t tag) (link, bool) {
	switch t.name {
	case "base":
		if u, err := l.base.Resolve(t.href); err == nil && t.isBase && markup.CanBeBase(u.Scheme()) {
			l.base.Base = u
		}
	case "a", "area":
		return l.refer(t.href, t.hasHref, t.alt)
	case "frame", "iframe":
		return l.refer(t.src, t.hasSrc, t.alt)
	case "link":
		if t.kind == "application/atom+xml" || t.kind == "application/rss+xml" {
			return l.refer(t.href, t.hasHref, "(feed)")
		}
	case "meta":
		if ref, ok := refresh(t.content); strings.EqualFold(t.equiv, "refresh") {
			return l.refer(ref, ok, "(refresh)")
		}
	case "isindex":
		return l.isindex(t)
	case "form":
		l.openForm(t)
	case "input", "button", "select", "textarea":
		l.form.control(t)
	case "option":
		l.form.option(t)
	case "label", "tr", "dt", "p", "li", "legend":
		l.form.label()
	}
	return link{}, false
}

func (l *linker) refer(ref string, is bool, title string) (link, bool) {
	if !is {
		return link{}, false
	}
	u, err := l.base.Resolve(ref)
	if err != nil {
		return link{}, false
	}
	l.n++
	return link{u, fetch.KindLink, title, nil}, true
}

// refresh returns the target of a META element for the header field Refresh. It is a link, since text cannot redirect.
func refresh(content string) (ref string, ok bool) {
	_, from, to, _ := markup.Refresh(content)
	return content[from:to], from < to
}

// A collector collects links as entries.
type collector struct {
	linker
	yield func(fetch.Entry, error) bool
	at    fetch.Entry
	open  bool
	done  bool
}

const titleMax = 1 << 10

func (c *collector) read(r io.Reader, isXML bool) error {
	err := tokens(r, isXML, c.token)
	c.add(c.closeForm())
	c.flush()
	return err
}

// token returns false when no more links are needed.
func (c *collector) token(z *markup.Tokenizer, kind html.TokenType) bool {
	switch kind {
	case html.TextToken:
		if c.open && len(c.at.Title) < titleMax {
			c.at.Title += string(z.Text())
		}
		c.form.text(z.Text())
	case html.EndTagToken:
		switch z.Name() {
		case "a":
			c.flush()
		case "form":
			c.add(c.closeForm())
		case "select", "textarea":
			c.form.label()
		}
	case html.StartTagToken, html.SelfClosingTagToken:
		t := readTag(z)
		if c.open && t.name == "img" {
			c.at.Title += " " + t.alt
		}
		c.add(c.follow(t))
	}
	return !c.done
}

// add begins an entry. It is complete after its text, if it can have one.
func (c *collector) add(l link, ok bool) {
	if !ok {
		return
	}
	c.flush()
	c.at, c.open = fetch.Entry{URI: l.uri, Kind: l.kind, Size: -1, Title: l.title}, true
	if l.kind == fetch.KindSearch || l.form != nil {
		c.flush()
	}
}

func (c *collector) flush() {
	if !c.open || c.done {
		return
	}
	c.open = false
	c.at.Title = words(c.at.Title)
	if len(c.at.Title) > titleMax {
		c.at.Title = strings.ToValidUTF8(c.at.Title[:titleMax], "")
	}
	c.done = !c.yield(c.at, nil)
}
