package links

import (
	"errors"
	"html"
	"io"
	"strings"

	xhtml "golang.org/x/net/html"

	"example.org/deref/uri"
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
	z := xhtml.NewTokenizer(r)
	z.SetMaxBuf(maxToken)
	for {
		kind := z.Next()
		out := z.Raw()
		if kind == xhtml.StartTagToken || kind == xhtml.SelfClosingTagToken {
			out = e.tagged(append([]byte(nil), out...), z) // reading attributes decodes them in place
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
func (e *editor) tagged(raw []byte, z *xhtml.Tokenizer) []byte {
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
	return e.written(string(raw))
}

// written puts the new references into their attributes.
func (e *editor) written(raw string) []byte {
	var out strings.Builder
	at := 0
	seen := map[string]bool{}
	for _, a := range spans(raw) {
		name := strings.ToLower(raw[a.name:a.nameEnd])
		if seen[name] || a.value == a.valueEnd {
			continue // the first of a name counts
		}
		seen[name] = true
		value, changed := e.value(name, e.values[name])
		if !changed {
			continue
		}
		out.WriteString(raw[at:a.value])
		out.WriteString(quoted(value, raw, a))
		at = a.valueEnd
	}
	out.WriteString(raw[at:])
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
func quoted(value, raw string, a span) string {
	value = html.EscapeString(value)
	if a.quoted {
		return value
	}
	return `"` + value + `"`
}

// A span is where an attribute stands in a tag.
type span struct {
	name, nameEnd, value, valueEnd int
	quoted                         bool
}

// spans finds the attributes of a tag. HTML Standard §13.2.5.32 to 39.
func spans(raw string) (all []span) {
	const white = " \t\n\f\r"
	i := skip(raw, 1, func(c byte) bool { return strings.IndexByte(white+"/>", c) < 0 })
	for {
		i = skip(raw, i, func(c byte) bool { return strings.IndexByte(white+"/", c) >= 0 })
		if i >= len(raw) || raw[i] == '>' {
			return all
		}
		a := span{name: i}
		i = skip(raw, i+1, func(c byte) bool { return strings.IndexByte(white+"/>=", c) < 0 }) // "=" may begin a name
		a.nameEnd = i
		eq := skip(raw, i, func(c byte) bool { return strings.IndexByte(white, c) >= 0 })
		if eq < len(raw) && raw[eq] == '=' {
			i = skip(raw, eq+1, func(c byte) bool { return strings.IndexByte(white, c) >= 0 })
			a.value, a.valueEnd, i, a.quoted = valueAt(raw, i)
		}
		all = append(all, a)
	}
}

func valueAt(raw string, i int) (from, to, next int, quoted bool) {
	if i < len(raw) && (raw[i] == '"' || raw[i] == '\'') {
		end := strings.IndexByte(raw[i+1:], raw[i])
		if end < 0 {
			return len(raw), len(raw), len(raw), true
		}
		return i + 1, i + 1 + end, i + 2 + end, true
	}
	end := skip(raw, i, func(c byte) bool { return strings.IndexByte(" \t\n\f\r>", c) < 0 })
	return i, end, end, false
}

func skip(s string, i int, over func(byte) bool) int {
	for i < len(s) && over(s[i]) {
		i++
	}
	return i
}
