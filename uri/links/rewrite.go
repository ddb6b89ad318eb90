package links

import (
	"errors"
	"html"
	"io"
	"strings"

	xhtml "golang.org/x/net/html"

	"example.org/deref/uri"
	"example.org/deref/uri/markup"
)

// Rewrite copies an HTML document from r to w with other references: to is
// asked about each that HTML would yield, in order, and says what stands there
// instead; what it leaves alone is not touched, nor is any octet outside the
// attributes that change. Titles of the links are void.
func Rewrite(w io.Writer, r io.Reader, base uri.URI, m uri.Mode, to func(Link) (ref string, changed bool)) error {
	e := editor{page: page{base: base, mode: m}, to: to}
	e.yield = func(l Link, err error) bool {
		e.refs = append(e.refs, edit{link: l, bad: err != nil})
		return true
	}
	z := markup.New(r, maxToken)
	for {
		kind := z.Next()
		out := z.Raw()
		if kind == xhtml.StartTagToken || kind == xhtml.SelfClosingTagToken {
			out = e.tagged(out, z)
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
	refs []edit // of the tag at hand
}

type edit struct {
	link Link
	bad  bool // no URI
	ref  string
	done bool
}

// tagged returns the tag, which raw holds as it was written.
func (e *editor) tagged(raw []byte, z *markup.Tokenizer) []byte {
	e.refs = e.refs[:0]
	e.tag(z)
	e.flush() // an anchor, which waits for its title
	changed := false
	for i := range e.refs {
		r := &e.refs[i]
		if !r.bad {
			r.ref, r.done = e.to(r.link)
			changed = changed || r.done
		}
	}
	if !changed {
		return raw
	}
	return e.written(raw)
}

// written puts the new references into their attributes.
func (e *editor) written(raw []byte) []byte {
	var out strings.Builder
	at := 0
	seen := map[string]bool{}
	for a := range markup.Attributes(raw) {
		name := strings.ToLower(string(raw[a.Name:a.NameEnd]))
		if seen[name] || a.Value == a.ValueEnd {
			continue // the first of a name counts
		}
		seen[name] = true
		value, changed := e.value(name, e.values[name])
		if !changed {
			continue
		}
		out.Write(raw[at:a.Value])
		out.WriteString(quoted(value, a))
		at = a.ValueEnd
	}
	out.Write(raw[at:])
	return []byte(out.String())
}

// value replaces the references in a value, one after the other.
func (e *editor) value(name, value string) (string, bool) {
	changed, at := false, 0
	for _, r := range e.refs {
		if r.link.Attribute != name {
			continue
		}
		i := strings.Index(value[at:], r.link.Ref)
		if i < 0 {
			i, r.link.Ref = 0, value // line ends within, which are no part of it
		}
		end := at + i + len(r.link.Ref)
		if !r.done {
			at = end
			continue
		}
		value = value[:at+i] + r.ref + value[end:]
		at += i + len(r.ref)
		changed = true
	}
	return value, changed
}

// quoted writes a value with the quotes that are there, or else with some.
func quoted(value string, a markup.Span) string {
	value = html.EscapeString(value)
	if a.Quoted {
		return value
	}
	return `"` + value + `"`
}
