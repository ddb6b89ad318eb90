package links

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"iter"
	"strings"

	"golang.org/x/net/html"

	"example.org/deref/uri"
	"example.org/deref/uri/markup"
)

// HTML yields the references of an HTML or SVG document: all attributes that hold a URI, in any version of HTML, including <base> and <meta
// refresh>, but not the server of <link rel=preconnect>, those in the documents of srcdoc attributes, and those in style sheets: <style>, the style
// attribute, and SVG's attributes that are properties of CSS. r is its text in UTF-8; base resolves the references. The first <base> with an href,
// outside templates, is the base of the references after it. If a reference is invalid, its Link comes with an error. A read error comes last, with
// a zero Link.
func HTML(r io.Reader, base uri.Resolver) iter.Seq2[Link, error] {
	return tags(markup.New(r, maxToken), page{base: base})
}

// XHTML is HTML for XHTML and SVG documents, and other XML: an element without content may be <title/>, and <?xml-stylesheet?> refers to a style sheet.
func XHTML(r io.Reader, base uri.Resolver) iter.Seq2[Link, error] {
	return tags(markup.New(r, maxToken).XML(true), page{base: base})
}

func tags(z *markup.Tokenizer, p page) iter.Seq2[Link, error] {
	return func(yield func(Link, error) bool) {
		p.yield = func(l located, err error) bool { return yield(l.Link, err) }
		for p.token(z, z.Next()) {
		}
	}
}

type page struct {
	base   uri.Resolver
	yield  func(located, error) bool
	anchor *located // its title is not complete yet
	text   strings.Builder
	styled bool                // within <style>
	pieces func([]byte) []byte // decodes a piece of <style>; nil for UTF-8
	frame  func(text string)   // gets the document in a srcdoc attribute; nil yields its references
	depth  int                 // of documents within srcdoc
	done   bool
	line   int // of the current token, from 0
	next   int // of the next one
}

// A located link has a position in the decoded value of its attribute.
type located struct {
	Link
	at span
}

// token processes the current token. It returns false at the end.
func (p *page) token(z *markup.Tokenizer, kind html.TokenType) bool {
	p.line = p.next
	p.next += bytes.Count(z.Raw(), []byte("\n")) // before Text, which changes the bytes
	switch kind {
	case html.ErrorToken:
		p.flush()
		if err := z.Err(); !errors.Is(err, io.EOF) && !p.done {
			p.yield(located{}, err)
		}
		return false
	case html.TextToken:
		if p.styled {
			p.style(z)
		}
		if p.anchor != nil && p.text.Len() < maxTitle {
			p.text.Write(z.Text())
		}
	case html.StartTagToken, html.SelfClosingTagToken:
		p.styled = kind == html.StartTagToken && z.Name() == "style"
		p.tag(z)
	case html.EndTagToken:
		p.styled = false
		if z.Name() == "a" {
			p.flush()
		}
	}
	return !p.done
}

// attributes holds the decoded values of one tag by name.
type attributes map[string]string

func (p *page) tag(z *markup.Tokenizer) {
	element := z.Name()
	if element == "a" {
		p.flush() // an anchor ends where the next one starts
	}
	var order []string
	values := attributes{}
	for k, v := range z.Attributes() {
		if len(order) == maxAttributes {
			break
		}
		values[k] = v
		order = append(order, k)
	}
	for _, k := range order {
		for _, ref := range references(element, k, values) {
			p.link(located{Link{Ref: uri.TrimRef(values[k][ref.from:ref.to]), Element: element, Attribute: k, Embedded: isEmbedded(element, k, values["rel"]), Sheet: isSheet(element, k, values["rel"])}, ref}, z.IsBase())
		}
		if k == "srcdoc" && element == "iframe" && p.depth < maxFrames {
			p.srcdoc(values[k])
		}
		if isCSS(k, z.IsForeign()) {
			p.css(&sheet{in: bufio.NewReader(strings.NewReader(values[k]))}, element, k)
		}
	}
	if kind := values["type"]; element == "style" && kind != "" && !strings.EqualFold(strings.TrimSpace(kind), "text/css") {
		p.styled = false
	}
}

// maxFrames is how many documents within one another are examined.
const maxFrames = 4

// srcdoc finds the references in the document of an <iframe>, which has the base of the page around it.
func (p *page) srcdoc(text string) {
	if p.frame != nil {
		p.frame(text)
		return
	}
	for l, err := range tags(markup.New(strings.NewReader(text), maxToken), page{base: p.base, depth: p.depth + 1}) {
		l.Line = p.line + 1
		p.emit(located{Link: l}, err)
	}
}

// maxAttributes is the number of attributes of one tag that are examined.
const maxAttributes = 256

// css finds the references in a piece of CSS: the value of an attribute, or the text of an element if attribute is "".
func (p *page) css(s *sheet, element, attribute string) {
	s.base, s.keep, s.line = p.base, true, p.line+1
	s.yield = func(l located, err error) bool {
		l.Element, l.Attribute = element, attribute
		p.emit(l, err)
		return !p.done
	}
	for !s.done && s.err == nil {
		s.token()
	}
}

// style finds the references in the text of <style>.
func (p *page) style(z *markup.Tokenizer) {
	p.css(&sheet{in: bufio.NewReader(bytes.NewReader(bytes.Clone(z.Raw()))), text: p.pieces}, "style", "")
}

func (p *page) link(l located, isBase bool) {
	element, attribute := l.Element, l.Attribute
	l.Line = p.line + 1
	var err error
	l.URI, err = p.base.Resolve(l.Ref)
	if isBase && attribute == "href" && err == nil && markup.CanBeBase(l.URI.Scheme()) {
		p.base.Base = l.URI.WithoutFragment()
	}
	if element == "a" && attribute == "href" && err == nil {
		p.anchor = &l
		return
	}
	p.emit(l, err)
}

func (p *page) emit(l located, err error) {
	if !p.done && !p.yield(l, err) {
		p.done = true
	}
}

// flush yields the anchor, whose title is complete.
func (p *page) flush() {
	if p.anchor == nil {
		return
	}
	l := *p.anchor
	l.Title = title(p.text.String())
	p.anchor = nil
	p.text.Reset()
	p.emit(l, nil)
}

// title collapses white space and truncates s to maxTitle bytes, at a character.
func title(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if len(s) > maxTitle {
		s = strings.ToValidUTF8(s[:maxTitle], "")
	}
	return s
}
