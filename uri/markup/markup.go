// Package markup reads HTML token by token: the tokenizer of golang.org/x/net/html finds the tokens, and their names, attributes and texts are
// read here.
//
// The tokenizer's own way of reading them is not called because of what it brings along: a table of two thousand named characters that is built
// whenever a program starts, a twentieth of the time that deref takes for a small document. The table of the standard library is built when the
// first & is met.
package markup

import (
	"bytes"
	"io"
	"iter"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// A Tokenizer reads a page. Raw, Name, Attributes, Text and Token tell about the token at hand, any number of times; what they give stays.
type Tokenizer struct {
	z    *html.Tokenizer
	kind html.TokenType
	name string // of the tag at hand
	in   string // the element whose content is no markup, if the token at hand is its text

	around    foreign
	templates int  // that are open
	based     bool // a <base> counted
	isBase    bool // the tag at hand is that
}

// New returns a Tokenizer that holds no more than most octets of the page: a longer token is html.ErrBufferExceeded.
func New(r io.Reader, most int) *Tokenizer {
	z := html.NewTokenizer(r)
	z.SetMaxBuf(most)
	return &Tokenizer{z: z}
}

// Next goes to the next token; html.ErrorToken is the end, and Err says why.
func (t *Tokenizer) Next() html.TokenType {
	opened := ""
	if t.isStart() && t.isMarkup() {
		t.z.NextIsNotRawText()
	} else if t.isStart() && isVerbatim(t.name) {
		opened = t.name
	}
	t.z.AllowCDATA(t.around.inside())
	t.kind, t.name, t.in = t.z.Next(), "", ""
	switch t.kind {
	case html.StartTagToken, html.SelfClosingTagToken:
		t.name = tagName(t.z.Raw()[len("<"):])
	case html.EndTagToken:
		t.name = tagName(t.z.Raw()[len("</"):])
	case html.TextToken:
		t.in = opened
	}
	t.isBase = false
	if t.name != "" {
		t.see()
	}
	return t.kind
}

// see takes note of the tag at hand for what comes after it.
func (t *Tokenizer) see() {
	switch inHTML := !t.around.inside(); {
	case t.name == "template" && t.kind == html.EndTagToken:
		t.templates = max(0, t.templates-1)
	case t.name == "template" && inHTML:
		t.templates++
	case t.name == "base" && t.isStart() && inHTML && t.templates == 0 && !t.based:
		for name := range t.Attributes() {
			t.isBase = t.isBase || name == "href"
		}
		t.based = t.isBase
	}
	t.around.see(t.kind, t.name)
}

// IsBase reports whether the tag at hand is the <base> that counts: the first one with an href, whatever that is, which is in the document
// itself: not in a template, nor in SVG. HTML Standard section 4.2.3.
func (t *Tokenizer) IsBase() bool { return t.isBase }

// isMarkup reports whether the content of the start tag at hand is markup whatever its name: in SVG and MathML, and of <noscript>, for nothing here
// runs scripts.
func (t *Tokenizer) isMarkup() bool {
	return t.name == "noscript" || t.around.inside() || len(t.around.open) > 0 && t.around.open[len(t.around.open)-1] == t.name
}

// Err is why there is no further token, io.EOF at the end of the page.
func (t *Tokenizer) Err() error { return t.z.Err() }

// Raw is the token as it stands in the page, until Next is called.
func (t *Tokenizer) Raw() []byte { return t.z.Raw() }

// Name is the name of a tag, in lower case.
func (t *Tokenizer) Name() string { return t.name }

func (t *Tokenizer) isStart() bool {
	return t.kind == html.StartTagToken || t.kind == html.SelfClosingTagToken
}

// Attributes yields the attributes of a start tag, names in lower case and values decoded. Of several of one name the first counts.
func (t *Tokenizer) Attributes() iter.Seq2[string, string] {
	return func(yield func(name, value string) bool) {
		for a := range t.Located() {
			if !yield(a.Name, a.Value) {
				return
			}
		}
	}
}

// An Attribute is a name in lower case, a decoded value, and where both stand in Raw.
type Attribute struct {
	Name, Value string
	At          Span
}

// Located yields the same attributes as Attributes, with their positions.
func (t *Tokenizer) Located() iter.Seq[Attribute] {
	return func(yield func(Attribute) bool) {
		if !t.isStart() {
			return
		}
		raw := t.z.Raw()
		seen := map[string]bool{}
		for at := range Attributes(raw) {
			name := lower(string(raw[at.Name:at.NameEnd]))
			if seen[name] {
				continue
			}
			seen[name] = true
			value := decoded(nil, newlines(withoutNUL(raw[at.Value:at.ValueEnd])), true)
			if !yield(Attribute{strings.ReplaceAll(name, nul, replacement), string(value), at}) {
				return
			}
		}
	}
}

// Text is a run of text, decoded.
func (t *Tokenizer) Text() []byte {
	if t.kind != html.TextToken {
		return nil
	}
	s := t.z.Raw()
	if t.around.inside() && bytes.HasPrefix(s, []byte(cdata)) {
		return bytes.Clone(withoutNUL(newlines(bytes.TrimSuffix(s[len(cdata):], []byte("]]>")))))
	}
	switch t.in {
	case "":
		return decoded(nil, newlines(s), false)
	case "textarea", "title":
		return decoded(nil, withoutNUL(newlines(s)), false)
	default:
		return bytes.Clone(withoutNUL(newlines(s)))
	}
}

// cdata begins a text in SVG and MathML.
const cdata = "<![CDATA["

// Token is what html.Tokenizer.Token would give for a tag or text.
func (t *Tokenizer) Token() html.Token {
	k := html.Token{Type: t.kind, DataAtom: atom.Lookup([]byte(t.name)), Data: t.name + string(t.Text())}
	for name, value := range t.Attributes() {
		k.Attr = append(k.Attr, html.Attribute{Key: name, Val: value})
	}
	return k
}

// CanBeBase reports whether a URI with that scheme may be the base of a document. HTML Standard section 4.2.3.
func CanBeBase(scheme string) bool { return scheme != "" && scheme != "data" && scheme != "javascript" }

// isVerbatim reports whether the content of an element is no markup: HTML Standard section 13.2.6.
func isVerbatim(name string) bool {
	switch name {
	case "iframe", "noembed", "noframes", "plaintext", "script", "style", "textarea", "title", "xmp":
		return true
	}
	return false
}

// tagName takes the name from what stands behind < or </.
func tagName(raw []byte) string {
	if end := bytes.IndexAny(raw, white+"/>"); end >= 0 {
		raw = raw[:end]
	}
	return strings.ReplaceAll(lower(string(raw)), nul, replacement)
}

// lower is that of HTML: letters beyond US-ASCII stay.
func lower(s string) string {
	b := []byte(s)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}

// nul is what HTML has not: the replacement stands for it. HTML Standard section 13.2.5.1.
const (
	nul         = "\x00"
	replacement = "\ufffd"
)

// withoutNUL and newlines return s where there is nothing to do.
func withoutNUL(s []byte) []byte {
	if bytes.IndexByte(s, 0) < 0 {
		return s
	}
	return bytes.ReplaceAll(s, []byte(nul), []byte(replacement))
}

// newlines makes one of every line end: HTML Standard section 13.2.3.5.
func newlines(s []byte) []byte {
	if bytes.IndexByte(s, '\r') < 0 {
		return s
	}
	return bytes.ReplaceAll(bytes.ReplaceAll(s, []byte("\r\n"), []byte("\n")), []byte("\r"), []byte("\n"))
}
