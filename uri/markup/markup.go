// Package markup splits HTML into tokens. The tokenizer of golang.org/x/net/html finds the tokens, and this package parses their names,
// attributes and texts.
//
// It does not use the tokenizer's own parser of attributes. That links a table of two thousand named characters which is built at the start of the
// program, a twentieth of the time that deref takes for a small document. The table of the standard library is built at the first "&".
package markup

import (
	"bytes"
	"fmt"
	"io"
	"iter"
	"strings"

	"golang.org/x/net/html"
)

// A Tokenizer reads a page. Raw, Name, Attributes and Text describe the current token. They may be called repeatedly.
type Tokenizer struct {
	z    *html.Tokenizer
	most int // bytes of a token
	kind html.TokenType
	name string // of the current tag
	in   string // the element whose content is not markup, if the current token is its text

	text      func([]byte) []byte // decodes the values of attributes; nil for UTF-8
	xml       bool
	around    foreign
	templates int  // number of open <template> elements
	based     bool // after the first valid <base>
	isBase    bool // the current tag is that <base>
}

// A LimitError reports a part of a text that is longer than a limit.
type LimitError struct {
	Part string // "a line"
	Most int    // bytes
}

func (e *LimitError) Error() string { return fmt.Sprintf("%s is longer than %d bytes", e.Part, e.Most) }

// New returns a Tokenizer that buffers at most most bytes. The error of a longer token is a *LimitError.
func New(r io.Reader, most int) *Tokenizer {
	z := html.NewTokenizer(r)
	z.SetMaxBuf(most)
	return &Tokenizer{z: z, most: most}
}

// NewIn returns a Tokenizer of a page in another encoding than UTF-8, in which each byte of ASCII is that character. text decodes a piece of it. It
// is applied to the values of attributes before their character references, and not to Raw, Name and Text.
func NewIn(r io.Reader, most int, text func([]byte) []byte) *Tokenizer {
	t := New(r, most)
	t.text = text
	return t
}

// XML makes t read a document of XML, such as XHTML and SVG, if isXML is true: no element's content is only text, and the processing instruction
// <?xml-stylesheet?> is a tag of that name, with its question mark. It must be called before Next, and returns t.
func (t *Tokenizer) XML(isXML bool) *Tokenizer {
	t.xml = isXML
	return t
}

// Next reads the next token. It returns html.ErrorToken at the end or after an error; see Err.
func (t *Tokenizer) Next() html.TokenType {
	opened := ""
	if t.isStart() && t.isMarkup() {
		t.z.NextIsNotRawText()
	} else if t.isStart() && isVerbatim(t.name) {
		opened = t.name
	}
	t.z.AllowCDATA(t.IsForeign())
	t.kind, t.name, t.in = t.z.Next(), "", ""
	switch t.kind {
	case html.StartTagToken, html.SelfClosingTagToken:
		if t.name = tagName(t.z.Raw()[len("<"):]); isVerbatim(t.name) && !t.IsForeign() {
			t.kind = html.StartTagToken // HTML ignores a slash at the end of the tag
		}
	case html.EndTagToken:
		t.name = tagName(t.z.Raw()[len("</"):])
	case html.TextToken:
		t.in = opened
	case html.CommentToken:
		if t.xml && bytes.HasPrefix(t.z.Raw(), []byte(instruction)) {
			t.kind, t.name = html.SelfClosingTagToken, instruction[len("<"):]
		}
	}
	t.isBase = false
	if t.name != "" {
		t.see()
	}
	return t.kind
}

// instruction begins the reference to a style sheet of an XML document: Associating Style Sheets with XML documents 1.0.
const instruction = "<?xml-stylesheet"

// see updates the state for the current tag.
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

// IsBase reports whether the current tag is the <base> of the document: the first one with an href that is not in a template or in SVG. HTML
// Standard section 4.2.3.
func (t *Tokenizer) IsBase() bool { return t.isBase }

// IsForeign reports whether the current tag, or text, is in SVG, MathML or a document of XML.
func (t *Tokenizer) IsForeign() bool { return t.xml || t.around.inside() }

// isMarkup reports whether the content of the current start tag is markup although its name suggests text: in XML, SVG and MathML, and in <noscript>,
// since scripts are not run.
func (t *Tokenizer) isMarkup() bool {
	return t.name == "noscript" || t.IsForeign() || len(t.around.open) > 0 && t.around.open[len(t.around.open)-1] == t.name
}

// Err returns the error of the last Next, io.EOF at the end of the page.
func (t *Tokenizer) Err() error {
	if t.z.Err() == html.ErrBufferExceeded {
		return &LimitError{"a tag or text of the page", t.most}
	}
	return t.z.Err()
}

// Raw returns the source of the token. It is valid until Next is called.
func (t *Tokenizer) Raw() []byte { return t.z.Raw() }

// Name returns the name of a tag in lower case. It returns "" for other tokens.
func (t *Tokenizer) Name() string { return t.name }

func (t *Tokenizer) isStart() bool {
	return t.kind == html.StartTagToken || t.kind == html.SelfClosingTagToken
}

// Attributes yields the attributes of a start tag, with names in lower case and decoded values. It ignores later attributes of the same name.
func (t *Tokenizer) Attributes() iter.Seq2[string, string] {
	return func(yield func(name, value string) bool) {
		for a := range t.Located() {
			if !yield(a.Name, a.Value) {
				return
			}
		}
	}
}

// An Attribute has a name in lower case, a decoded value, and the position of both in Raw.
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
			value := raw[at.Value:at.ValueEnd]
			if t.text != nil {
				value = t.text(value)
			}
			value = decoded(newlines(withoutNUL(value)), true)
			if !yield(Attribute{strings.ReplaceAll(name, nul, replacement), string(value), at}) {
				return
			}
		}
	}
}

// Text returns decoded text. It returns nil for other tokens.
func (t *Tokenizer) Text() []byte {
	if t.kind != html.TextToken {
		return nil
	}
	s := t.z.Raw()
	if t.IsForeign() && bytes.HasPrefix(s, []byte(cdata)) {
		return bytes.Clone(withoutNUL(newlines(bytes.TrimSuffix(s[len(cdata):], []byte("]]>")))))
	}
	switch t.in {
	case "":
		return decoded(newlines(s), false)
	case "textarea", "title":
		return decoded(withoutNUL(newlines(s)), false)
	default:
		return bytes.Clone(withoutNUL(newlines(s)))
	}
}

// cdata begins a text in SVG and MathML.
const cdata = "<![CDATA["

// CanBeBase reports whether a URI with that scheme may be the base of a document. HTML Standard section 4.2.3.
func CanBeBase(scheme string) bool { return scheme != "" && scheme != "data" && scheme != "javascript" }

// isVerbatim reports whether the content of an element is not markup: HTML Standard section 13.2.6.
func isVerbatim(name string) bool {
	switch name {
	case "iframe", "noembed", "noframes", "plaintext", "script", "style", "textarea", "title", "xmp":
		return true
	}
	return false
}

// tagName returns the name at the start of raw, the text after < or </.
func tagName(raw []byte) string {
	if end := bytes.IndexAny(raw, white+"/>"); end >= 0 {
		raw = raw[:end]
	}
	return strings.ReplaceAll(lower(string(raw)), nul, replacement)
}

// lower changes US-ASCII letters to lower case, as HTML does.
func lower(s string) string {
	b := []byte(s)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}

// nul is replaced by replacement. HTML Standard section 13.2.5.1.
const (
	nul         = "\x00"
	replacement = "\ufffd"
)

// withoutNUL replaces NUL in s. It returns s if there is none.
func withoutNUL(s []byte) []byte {
	if bytes.IndexByte(s, 0) < 0 {
		return s
	}
	return bytes.ReplaceAll(s, []byte(nul), []byte(replacement))
}

// newlines replaces each CRLF and CR by LF: HTML Standard section 13.2.3.5. It returns s if there are none.
func newlines(s []byte) []byte {
	if bytes.IndexByte(s, '\r') < 0 {
		return s
	}
	return bytes.ReplaceAll(bytes.ReplaceAll(s, []byte("\r\n"), []byte("\n")), []byte("\r"), []byte("\n"))
}
