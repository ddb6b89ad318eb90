package links

import (
	"bytes"
	"errors"
	"io"
	"iter"
	"maps"
	"strings"

	"golang.org/x/net/html"

	"example.org/deref/uri"
	"example.org/deref/uri/markup"
)

// XML yields the links of a feed (RSS 0.9 to 2.0, Atom; RFC 4287) with those in its texts, which are HTML or XHTML, or of a sitemap or an index of
// sitemaps (sitemaps.org), whose links have the Element "loc" or "sitemap", or that of a video ("player_loc"); and of either its style sheets,
// with the Element "?xml-stylesheet". An xml:base of a feed holds for what is in its element. r is its text in UTF-8; base resolves the
// references. Another XML document yields ErrFormat. If a reference is invalid, its Link comes with an error. A read error comes last, with a
// zero Link.
func XML(r io.Reader, base uri.Resolver) iter.Seq2[Link, error] {
	return func(yield func(Link, error) bool) {
		f := feed{in: markup.New(r, maxToken).XML(true), base: base, yield: yield, next: 1}
		f.xhtml.yield = func(l located, err error) bool { return yield(l.Link, err) }
		err := f.read()
		if f.done {
			return
		}
		if f.xhtml.flush(); !errors.Is(err, io.EOF) && !f.xhtml.done {
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
	in    *markup.Tokenizer
	base  uri.Resolver
	yield func(Link, error) bool
	done  bool

	root  string
	open  []feedElement
	text  strings.Builder
	title string // of the current item
	xhtml page   // of the texts that are elements
	line  int    // where the text begins
	next  int    // line of the next token
}

// A feedElement is an open element. Names have no prefix of a namespace.
type feedElement struct {
	name  string
	attrs map[string]string
	base  uri.Resolver // outside
	xhtml bool         // its content is XHTML: RFC 4287 section 3.1.1.3
}

const (
	maxElements      = 256               // nested
	sheetInstruction = "?xml-stylesheet" // the Element of a link to a style sheet
)

func (f *feed) read() error {
	for !f.done {
		kind, line := f.in.Next(), f.next
		f.next += bytes.Count(f.in.Raw(), []byte("\n"))
		name := f.in.Name()[strings.LastIndexByte(f.in.Name(), ':')+1:]
		if f.isXHTML() && kind != html.ErrorToken {
			f.xhtml.base, f.xhtml.next = f.base, line-1
			f.done = !f.xhtml.token(f.in, kind)
		}
		switch kind {
		case html.ErrorToken:
			return f.in.Err()
		case html.TextToken:
			text := string(f.in.Text())
			if f.text.Len() == 0 {
				f.line = line + strings.Count(text[:len(text)-len(strings.TrimLeft(text, white))], "\n")
			}
			if f.text.Len() < maxToken {
				f.text.WriteString(text)
			}
		case html.EndTagToken:
			f.close(name)
		case html.StartTagToken, html.SelfClosingTagToken:
			if f.root == "" && name != sheetInstruction {
				if f.root = name; !f.isKnown() {
					return ErrFormat{name}
				}
			}
			f.begin(feedElement{name, maps.Collect(f.in.Attributes()), f.base, f.isXHTML()}, line)
			if e := f.open[len(f.open)-1]; kind == html.SelfClosingTagToken || len(f.open) > maxElements {
				f.base, f.open = e.base, f.open[:len(f.open)-1]
			}
		}
	}
	return nil
}

// isXHTML reports whether the innermost open element has XHTML in it.
func (f *feed) isXHTML() bool { return len(f.open) > 0 && f.open[len(f.open)-1].xhtml }

func (f *feed) isKnown() bool {
	switch f.root {
	case "rss", "feed", "rdf", "urlset", "sitemapindex":
		return true
	}
	return false
}

// begin handles a start tag.
func (f *feed) begin(e feedElement, line int) {
	if b := e.attrs["xml:base"]; b != "" {
		if u, err := f.base.Resolve(b); err == nil {
			f.base.Base = u
		}
	}
	if e.name == "item" || e.name == "entry" {
		f.title = ""
	}
	for _, name := range []string{"href", "src", "url"} {
		if ref := strings.TrimSpace(e.attrs[name]); ref != "" && !e.xhtml && refersBy(e.name, name) {
			f.link(ref, e.name, name, line)
		}
	}
	f.text.Reset()
	e.xhtml = e.xhtml || e.attrs["type"] == "xhtml"
	f.open = append(f.open, e)
}

// refersBy reports whether an attribute of an element is a reference.
func refersBy(element, attribute string) bool {
	switch element {
	case "link", sheetInstruction:
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
	if i == len(f.open)-1 && !f.open[i].xhtml {
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
		name := e.name
		if f.root == "sitemapindex" {
			name = "sitemap"
		}
		f.link(text, name, "", f.line)
	case "link", "comments", "docs", "icon", "logo", "uri", "commentrss", "content_loc", "player_loc", "thumbnail_loc":
		f.link(text, e.name, "", f.line)
	case "url":
		f.link(text, "image", "", f.line)
	case "guid":
		if e.attrs["ispermalink"] != "false" && strings.Contains(text, "://") {
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
	u, err := f.base.Resolve(ref)
	if !f.yield(Link{URI: u, Ref: ref, Element: element, Attribute: attribute, Title: f.title, Line: line}, err) {
		f.done = true
	}
}
