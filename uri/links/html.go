package links

import (
	"bytes"
	"errors"
	"io"
	"iter"
	"strings"

	"golang.org/x/net/html"

	"example.org/deref/uri"
	"example.org/deref/uri/markup"
)

// HTML yields the references of an HTML document: all attributes that hold a URI, in any version of HTML, including <base> and <meta refresh>. r is
// its text in UTF-8; base resolves the references. The first <base> with an href, outside templates, is the base of the references after it. If a
// reference is invalid, its Link comes with an error. A read error comes last, with a zero Link.
func HTML(r io.Reader, base uri.Resolver) iter.Seq2[Link, error] {
	return func(yield func(Link, error) bool) {
		p := page{base: base, yield: func(l located, err error) bool { return yield(l.Link, err) }}
		z := markup.New(r, maxToken)
		for p.token(z) {
		}
	}
}

type page struct {
	base   uri.Resolver
	yield  func(located, error) bool
	anchor *located // its title is not complete yet
	text   strings.Builder
	done   bool
	line   int // of the current token, from 0
	next   int // of the next one
}

// A located link has a position in the decoded value of its attribute.
type located struct {
	Link
	at span
}

// token processes one token. It returns false at the end.
func (p *page) token(z *markup.Tokenizer) bool {
	kind := z.Next()
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
		if p.anchor != nil && p.text.Len() < maxTitle {
			p.text.Write(z.Text())
		}
	case html.StartTagToken, html.SelfClosingTagToken:
		p.tag(z)
	case html.EndTagToken:
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
			p.link(element, k, values[k], ref, z.IsBase())
		}
	}
}

// maxAttributes is the number of attributes of one tag that are examined.
const maxAttributes = 256

func (p *page) link(element, attribute, value string, at span, isBase bool) {
	l := located{Link{Ref: tidy(value[at.from:at.to]), Element: element, Attribute: attribute, Line: p.line + 1}, at}
	u, err := p.base.Resolve(l.Ref)
	if err == nil {
		l.URI = u
	}
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

// tidy removes line ends and tabs, which HTML ignores within a URI (URL Standard §4.4).
func tidy(s string) string {
	if strings.ContainsAny(s, "\t\r\n") {
		return strings.NewReplacer("\t", "", "\r", "", "\n", "").Replace(s)
	}
	return s
}
