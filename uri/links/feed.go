package links

import (
	"errors"
	"io"
	"iter"
	"strings"

	"example.org/deref/uri"
)

// XML yields the links of a feed (RSS 0.9 to 2.0, Atom; RFC 4287) with those in its texts, or of a sitemap or an index of sitemaps (sitemaps.org), whose
// links have the Element "loc" or "sitemap", and its style sheets, "?xml-stylesheet". An xml:base of a feed holds for what is in its element. r is its text in UTF-8; base resolves the
// references. Another XML document yields ErrFormat. If a reference is invalid, its Link comes with an error. A read error comes last, with a zero Link.
func XML(r io.Reader, base uri.Resolver) iter.Seq2[Link, error] {
	return func(yield func(Link, error) bool) {
		f := feed{in: newXML(r), base: base, yield: yield}
		err := f.read()
		if err != nil && !errors.Is(err, io.EOF) && !f.done {
			yield(Link{}, err)
		}
	}
}

// ErrFormat is the error of a document in a format without known links.
type ErrFormat struct {
	Root string // the root element
}

func (e ErrFormat) Error() string {
	return "not a feed or sitemap: the root element is <" + e.Root + ">"
}

// A feed is the state of reading one document.
type feed struct {
	in    *xmlReader
	base  uri.Resolver
	yield func(Link, error) bool
	done  bool

	root  string
	open  []feedElement
	text  strings.Builder
	title string // of the current item
	line  int    // where the text begins
}

// A feedElement is an open element.
type feedElement struct {
	name  string
	attrs xmlToken
	base  uri.Resolver // outside
}

// maxElements bounds the nested elements.
const maxElements = 256

func (f *feed) read() error {
	for !f.done {
		t, err := f.in.token()
		if err != nil {
			return err
		}
		switch {
		case t.name == "":
			if f.text.Len() == 0 {
				f.line = t.line + strings.Count(t.text[:len(t.text)-len(strings.TrimLeft(t.text, white))], "\n")
			}
			if f.text.Len() < maxToken {
				f.text.WriteString(t.text)
			}
		case t.name == sheetInstruction:
			if ref := t.attribute("href"); ref != "" {
				f.link(ref, t.name, "href", t.line)
			}
		case t.end:
			f.close(t.name)
		case f.root == "":
			f.root = t.name
			if !f.isKnown() {
				return ErrFormat{t.name}
			}
			fallthrough
		default:
			f.begin(t)
		}
	}
	return nil
}

func (f *feed) isKnown() bool {
	switch f.root {
	case "rss", "feed", "RDF", "urlset", "sitemapindex":
		return true
	}
	return false
}

// begin handles a start tag.
func (f *feed) begin(t xmlToken) {
	outside := f.base
	if b := t.attribute("xml:base"); b != "" {
		if u, err := f.base.Resolve(b); err == nil {
			f.base.Base = u
		}
	}
	if t.name == "item" || t.name == "entry" {
		f.title = ""
	}
	for _, name := range []string{"href", "src", "url"} {
		if ref := t.attribute(name); ref != "" && refersBy(t.name, name) {
			f.link(ref, t.name, name, t.line)
		}
	}
	f.text.Reset()
	if t.empty || len(f.open) == maxElements {
		f.base = outside
		return
	}
	f.open = append(f.open, feedElement{t.name, t, outside})
}

// refersBy reports whether an attribute of an element is a reference.
func refersBy(element, attribute string) bool {
	switch element {
	case "link":
		return attribute == "href"
	case "content", "enclosure", "source", "thumbnail", "player", "image":
		return true
	}
	return false
}

// close handles an end tag.
func (f *feed) close(name string) {
	text := strings.TrimSpace(f.text.String())
	f.text.Reset()
	i := len(f.open) - 1
	for i >= 0 && f.open[i].name != name {
		i--
	}
	if i < 0 {
		return
	}
	if i == len(f.open)-1 {
		f.element(f.open[i], text)
	}
	f.base = f.open[i].base
	f.open = f.open[:i]
}

// element handles an element and its text.
func (f *feed) element(e feedElement, text string) {
	if text == "" {
		return
	}
	switch e.name {
	case "title":
		f.title = title(text)
	case "loc":
		if name := e.name; f.root == "sitemapindex" {
			f.link(text, "sitemap", "", f.line)
		} else {
			f.link(text, name, "", f.line)
		}
	case "link", "comments", "docs", "icon", "logo", "uri", "commentRss":
		f.link(text, e.name, "", f.line)
	case "url":
		f.link(text, "image", "", f.line)
	case "guid":
		if e.attrs.attribute("isPermaLink") != "false" && strings.Contains(text, "://") {
			f.link(text, e.name, "", f.line)
		}
	case "description", "encoded", "content", "summary", "subtitle":
		f.page(text)
	}
}

// page yields the links of the HTML in a text.
func (f *feed) page(text string) {
	if !strings.Contains(text, "<") {
		return
	}
	for l, err := range HTML(strings.NewReader(text), f.base) {
		if l.Line += f.line - 1; f.done {
			return
		}
		if !f.yield(l, err) {
			f.done = true
		}
	}
}

func (f *feed) link(ref, element, attribute string, line int) {
	if f.done {
		return
	}
	l := Link{Ref: ref, Element: element, Attribute: attribute, Title: f.title, Line: line}
	u, err := f.base.Resolve(ref)
	if err == nil {
		l.URI = u
	}
	if !f.yield(l, err) {
		f.done = true
	}
}
