package links

import (
	"bytes"
	"errors"
	"fmt"
	"html"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	xhtml "golang.org/x/net/html"

	"example.org/deref/uri"
	"example.org/deref/uri/markup"
)

// Rewrite copies an HTML or SVG document from r to w with other references. It calls to for each reference that HTML yields, in the same order, and
// replaces the reference by ref if changed is true. The links have no Title. It changes no byte outside the values of those attributes and the
// references in <style>, with one exception: if an element gets a relative ref for something embedded, also one that equals the old one, its
// integrity and crossorigin attributes are renamed, with "data-" before them. Browsers load no file for an element with crossorigin, and a style sheet
// with other references has another digest.
//
// text decodes a piece of the page to UTF-8. It is nil for UTF-8. In another encoding each byte of ASCII must be that character, and ref must be
// ASCII; what else such a value contains is written as character references.
func Rewrite(w io.Writer, r io.Reader, base uri.Resolver, text func([]byte) []byte, to func(Link) (ref string, changed bool)) error {
	return rewrite(w, markup.NewIn(r, maxToken, text), page{base: base, pieces: text}, to)
}

// RewriteXHTML is Rewrite for the documents of XHTML.
func RewriteXHTML(w io.Writer, r io.Reader, base uri.Resolver, text func([]byte) []byte, to func(Link) (ref string, changed bool)) error {
	return rewrite(w, markup.NewIn(r, maxToken, text).XML(true), page{base: base, pieces: text}, to)
}

// rewriteSheets is RewriteXHTML for the style sheets of any other XML. Its other links are for the programs that process it, not for a browser.
func rewriteSheets(w io.Writer, r io.Reader, base uri.Resolver, text func([]byte) []byte, to func(Link) (ref string, changed bool)) error {
	return RewriteXHTML(w, r, base, text, func(l Link) (string, bool) {
		if l.Element != sheetInstruction {
			return "", false
		}
		return to(l)
	})
}

func rewrite(w io.Writer, z *markup.Tokenizer, p page, to func(Link) (string, bool)) error {
	e := editor{page: p, to: to}
	e.frame = e.framed
	e.yield = func(l located, err error) bool {
		e.refs = append(e.refs, edit{link: l, bad: err != nil})
		return true
	}
	for {
		kind := z.Next()
		out := z.Raw()
		switch {
		case kind == xhtml.StartTagToken, kind == xhtml.SelfClosingTagToken:
			e.styled = kind == xhtml.StartTagToken && z.Name() == "style"
			out = e.tagged(out, z)
		case kind == xhtml.EndTagToken:
			e.styled = false
		case kind == xhtml.TextToken && e.styled:
			out = e.sheet(out, z)
		}
		if _, err := w.Write(out); err != nil {
			return err
		}
		if kind == xhtml.ErrorToken {
			if errors.Is(z.Err(), io.EOF) {
				return nil
			}
			return z.Err()
		}
	}
}

// An editor rewrites one tag at a time.
type editor struct {
	page
	to   func(Link) (string, bool)
	refs []edit // of the current tag

	inner    string // the document in the srcdoc attribute of the current tag, with other references
	hasInner bool   // it differs
}

// framed rewrites the document in a srcdoc attribute. The text of an attribute can always be read, and written to a buffer.
func (e *editor) framed(text string) {
	var out strings.Builder
	if rewrite(&out, markup.New(strings.NewReader(text), maxToken), page{base: e.base, depth: e.depth + 1}, e.to) == nil {
		e.inner, e.hasInner = out.String(), out.String() != text
	}
}

type edit struct {
	link  located
	bad   bool // not a URI
	ref   string
	done  bool
	local bool // an embedded document is next to this one
}

// decide calls to for the references of the current token. It reports whether any of them changes.
func (e *editor) decide() (changed bool) {
	for i := range e.refs {
		r := &e.refs[i]
		if r.bad {
			continue
		}
		r.ref, r.done = e.to(r.link.Link)
		ref, err := uri.Parse(r.ref)
		r.local = r.done && r.link.Embedded && err == nil && !ref.IsAbs()
		r.done = r.done && !(r.local && r.ref == r.link.Ref)
		changed = changed || r.done || r.local
	}
	return changed
}

// sheet returns the text raw of <style> with the new references.
func (e *editor) sheet(raw []byte, z *markup.Tokenizer) []byte {
	e.refs = e.refs[:0]
	e.style(z)
	if !e.decide() {
		return raw
	}
	var out bytes.Buffer
	at := 0
	for _, r := range e.refs {
		if r.done {
			out.Write(raw[at:r.link.at.from])
			out.WriteString(inMarkup(z, escapedCSS(r.ref)))
			at = r.link.at.to
		}
	}
	out.Write(raw[at:])
	return out.Bytes()
}

// inMarkup returns s for the text of <style>, which in SVG has character references.
func inMarkup(z *markup.Tokenizer, s string) string {
	if z.IsForeign() {
		return strings.ReplaceAll(s, "&", "%26")
	}
	return s
}

// tagged returns the tag raw with the new references.
func (e *editor) tagged(raw []byte, z *markup.Tokenizer) []byte {
	e.refs, e.hasInner = e.refs[:0], false
	e.tag(z)
	e.flush() // an anchor whose title has not been read
	if !e.decide() && !e.hasInner {
		return raw
	}
	return e.written(raw, z)
}

// written returns the tag raw with the new values of its attributes.
func (e *editor) written(raw []byte, z *markup.Tokenizer) []byte {
	var out strings.Builder
	at := 0
	isLocal := slices.ContainsFunc(e.refs, func(r edit) bool { return r.local })
	for a := range z.Located() {
		if isLocal && (a.Name == "integrity" || a.Name == "crossorigin") {
			out.Write(raw[at:a.At.Name])
			out.WriteString("data-")
			at = a.At.Name
			continue
		}
		value, changed := e.value(a.Name, a.Value)
		if a.Name == "srcdoc" && e.hasInner {
			value, changed = e.inner, true
		}
		if !changed {
			continue
		}
		from, to := a.At.Value, a.At.ValueEnd
		if value = quoted(value, a.At); e.pieces != nil { // the page is not UTF-8
			value = inASCII(value)
		}
		if from == 0 { // an attribute without a value
			from, to = a.At.NameEnd, a.At.NameEnd
			value = "=" + value
		}
		out.Write(raw[at:from])
		out.WriteString(value)
		at = to
	}
	out.Write(raw[at:])
	return []byte(out.String())
}

// value replaces the references in the value of an attribute.
func (e *editor) value(name, value string) (string, bool) {
	var out strings.Builder
	at := 0
	changed := false
	for _, r := range e.refs {
		if r.link.Attribute != name || !r.done {
			continue
		}
		out.WriteString(value[at:r.link.at.from])
		out.WriteString(contained(name, r.ref))
		at = r.link.at.to
		changed = true
	}
	out.WriteString(value[at:])
	return out.String(), changed
}

// contained escapes characters that would end a reference early in an attribute with more than one reference.
func contained(attribute, ref string) string {
	if isCSS(attribute, true) {
		return escapedCSS(ref)
	}
	switch attribute {
	case "content":
		return strings.ReplaceAll(ref, "'", "%27")
	case "archive":
		return strings.ReplaceAll(ref, ",", "%2C")
	case "srcset", "imagesrcset": // a comma ends it only before white space or the end
		inner := strings.Trim(ref, ",")
		from := len(ref) - len(strings.TrimLeft(ref, ","))
		return strings.Repeat("%2C", from) + inner + strings.Repeat("%2C", len(ref)-from-len(inner))
	}
	return ref
}

// inASCII replaces the other characters by character references.
func inASCII(s string) string {
	var out strings.Builder
	for _, r := range s {
		if r < utf8.RuneSelf {
			out.WriteByte(byte(r))
		} else {
			fmt.Fprintf(&out, "&#%d;", r)
		}
	}
	return out.String()
}

// quoted returns the escaped value, with quotes unless a has them.
func quoted(value string, a markup.Span) string {
	value = html.EscapeString(value)
	if a.Quoted {
		return value
	}
	return `"` + value + `"`
}
