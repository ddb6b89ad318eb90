package links

import (
	"errors"
	"io"
	"iter"
	"strings"

	"golang.org/x/net/html"

	"example.org/deref/uri"
	"example.org/deref/uri/markup"
)

// HTML yields the references of an HTML document whose URI is base, resolved in
// the mode: every attribute that holds a URI, in HTML of any age, <base> and
// <meta refresh> included. The document's own <base> counts from where it stands, the first
// one with an href only, and not one in a template. A reference that is no URI gives its error with its Link; what
// stops the reading comes last, with a zero Link.
func HTML(r io.Reader, base uri.URI, m uri.Mode) iter.Seq2[Link, error] {
	return func(yield func(Link, error) bool) {
		p := page{base: base, mode: m, yield: func(l located, err error) bool { return yield(l.Link, err) }}
		z := markup.New(r, maxToken)
		for p.token(z) {
		}
	}
}

type page struct {
	base   uri.URI
	mode   uri.Mode
	yield  func(located, error) bool
	anchor *located // waits for its title
	text   strings.Builder
	done   bool
}

// A located link has a position in the decoded value of its attribute.
type located struct {
	Link
	at span
}

// token reads one token. It returns false at the end.
func (p *page) token(z *markup.Tokenizer) bool {
	switch z.Next() {
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

// attributes of one tag: names are unique, values decoded.
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

// maxAttributes is the number of attributes of one tag that are looked at.
const maxAttributes = 256

func (p *page) link(element, attribute, value string, at span, isBase bool) {
	l := located{Link{Ref: tidy(value[at.from:at.to]), Element: element, Attribute: attribute}, at}
	u, err := p.mode.Parse(l.Ref)
	if err == nil {
		l.URI = p.mode.Resolve(p.base, u)
	}
	if isBase && attribute == "href" && err == nil && markup.CanBeBase(l.URI.Scheme()) {
		p.base = l.URI.WithoutFragment()
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

// flush yields the anchor that waited for its title.
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

// title makes white space one and cuts what is too long, at a character.
func title(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if len(s) > maxTitle {
		s = strings.ToValidUTF8(s[:maxTitle], "")
	}
	return s
}

// tidy removes the line ends and tabs that HTML admits within a URI (URL Standard §4.4).
func tidy(s string) string {
	if strings.ContainsAny(s, "\t\r\n") {
		return strings.NewReplacer("\t", "", "\r", "", "\n", "").Replace(s)
	}
	return s
}
