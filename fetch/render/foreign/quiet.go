package foreign

import (
	"bytes"
	"html"
	"io"
	"strings"

	"example.org/deref/fetch/pieces"
)

// Quiet returns a document of HTML, or of XML, in which nothing makes a browser contact other hosts by itself although a
// Content-Security-Policy forbids it to load anything. LINK elements for preconnect, dns-prefetch, prefetch, preload, modulepreload,
// prerender and next, which some browsers prefetch, lose their REL, and META elements for refresh, Link and X-DNS-Prefetch-Control their
// HTTP-EQUIV: the attribute gets another name. Documents within attributes (SRCDOC) become inert in the same way, and in XML entities and
// style sheets, which could make such elements. Everything else is returned unchanged. The bytes of < and of these names must be those of
// ASCII.
//
// Tags are recognized wherever they begin, even in comments, scripts and texts: what is one there depends on the state of the browser's
// parser, and no page may hide a tag by confusing another parser. For the same reason letters are only inserted, so that quotes and ends of
// tags stay where they are.
func Quiet(r io.Reader, xml bool) io.Reader {
	q := &quiet{in: pieces.Ahead{Rest: r}, xml: xml}
	return pieces.NewReader(q.more)
}

// A quiet reads a document without such elements.
type quiet struct {
	in    pieces.Ahead // Held is not examined yet
	xml   bool
	tags  states
	ready []byte
}

// ahead is how far the value of an attribute is read to judge it. A longer one is made inert.
const ahead = 1 << 10

func (q *quiet) more() ([]byte, error) {
	q.in.More(16 << 10)
	if q.examine(); len(q.in.Held) == 0 {
		return q.ready, q.in.Err
	}
	return q.ready, nil
}

// examine moves what is decided from in.Held to ready.
func (q *quiet) examine() {
	q.ready = q.ready[:0]
	for len(q.in.Held) > 0 {
		if q.tags == 0 {
			i := bytes.IndexAny(q.in.Held, "<sS")
			if i < 0 {
				i = len(q.in.Held)
			}
			q.ready, q.in.Held = append(q.ready, q.in.Held[:i]...), q.in.Held[i:]
		}
		if len(q.in.Held) == 0 || !q.decide() {
			return
		}
		q.tags = q.tags.next(q.in.Held[0])
		q.ready, q.in.Held = append(q.ready, q.in.Held[0]), q.in.Held[1:]
	}
}

// longest is the length of the longest name that is looked for, with the characters around it.
const longest = len("<?xml-stylesheet ")

// decide inserts what gives the name that begins here another meaning. It returns false if more bytes are needed.
func (q *quiet) decide() bool {
	if len(q.in.Held) < longest && q.in.Err == nil {
		return false
	}
	switch c := q.in.Held[0]; {
	case c == '<', c == ':' && q.tags.has('P'):
		q.tag(c)
	case c == 's' || c == 'S':
		return q.attribute("srcdoc")
	case q.tags.has('B') || q.tags.has('A'):
		return q.attribute("rel") && q.attribute("http-equiv")
	}
	return true
}

// tag decides about the tag that may begin here with a "<", or in XML with the colon before its local name.
func (q *quiet) tag(first byte) {
	if q.xml {
		q.tags |= state('P')
	}
	for _, name := range [...]string{"link", "meta", "!entity", "?xml-stylesheet"} {
		end := 1 + len(name)
		switch {
		case !hasName(q.in.Held[1:], name) || end == len(q.in.Held) || strings.IndexByte(white+"/>", q.in.Held[end]) < 0:
		case name == "link" || name == "meta":
			q.tags |= state('T')
		case q.xml && first == '<':
			q.insert("<"+string(q.in.Held[1])+"x-", 2)
		}
	}
}

// attribute makes the attribute that begins here one that means nothing, if it has this name and makes a browser contact a host.
func (q *quiet) attribute(name string) bool {
	if !hasName(q.in.Held, name) {
		return true
	}
	value, whole := valueAfter(q.in.Held[len(name):min(len(q.in.Held), ahead)])
	if !whole && q.in.Err == nil && len(q.in.Held) < ahead {
		return false
	}
	if !whole || isBusy(name, value) {
		q.insert("data-", 0)
	}
	return true
}

// insert writes s in place of n bytes.
func (q *quiet) insert(s string, n int) { q.ready, q.in.Held = append(q.ready, s...), q.in.Held[n:] }

func hasName(p []byte, name string) bool {
	return len(p) >= len(name) && strings.EqualFold(string(p[:len(name)]), name)
}

const white = "\t\n\f\r "

// valueAfter returns the value of an attribute, of which p begins after the name. whole is false if it may continue after p.
func valueAfter(p []byte) (value string, whole bool) {
	p = bytes.TrimLeft(p, white)
	if len(p) > 0 && p[0] != '=' {
		return "", true
	}
	p = bytes.TrimLeft(p[min(1, len(p)):], white)
	if len(p) == 0 {
		return "", false
	}
	end := white + ">"
	if p[0] == '"' || p[0] == '\'' {
		end, p = string(p[:1]), p[1:]
	}
	i := bytes.IndexAny(p, end)
	if i < 0 {
		return "", false
	}
	return strings.TrimSuffix(html.UnescapeString(string(p[:i])+";"), ";"), true // the semicolon ends a reference
}

// isBusy reports whether an attribute of a LINK or META element makes a browser contact a host, or SRCDOC holds a document.
func isBusy(name, value string) bool {
	value = strings.ToLower(value)
	switch name {
	case "srcdoc":
		return value != ""
	case "http-equiv":
		switch strings.TrimSpace(value) {
		case "refresh", "link", "x-dns-prefetch-control":
			return true
		}
		return false
	}
	for rel := range strings.FieldsSeq(value) {
		switch rel {
		case "preconnect", "dns-prefetch", "prefetch", "preload", "modulepreload", "prerender", "next":
			return true
		}
	}
	return false
}

// states is a set of states of a browser's parser: one for each place before at which it may have seen a tag begin. Following all of them at once
// takes as long as following one.
type states uint16

// The states, in the order of their bits: in XML the name of any tag; of LINK and META the name, before an attribute, its name, after its name, before
// its value, and the value in quotation marks, in apostrophes and without. HTML Standard sections 13.2.5.8 and 13.2.5.32 to 40.
const order = "PTBNAVDSU"

func state(name rune) states {
	if i := strings.IndexRune(order, name); i >= 0 {
		return 1 << i
	}
	return 0 // after the tag
}

func (s states) has(name rune) bool { return s&state(name) != 0 }

// next returns the states after c.
func (s states) next(c byte) (after states) {
	to := "PTNNNUDSU"
	switch c {
	case '\t', '\n', '\f', '\r', ' ':
		to = ".BBAAVDSB"
	case '/':
		to = ".BBBBUDSU"
	case '>':
		to = "......DS."
	case '=':
		to = "PTNVVUDSU"
	case '"':
		to = "PTNNNDBSU"
	case '\'':
		to = "PTNNNSDBU"
	}
	for i, name := range to {
		if s>>i&1 != 0 {
			after |= state(name)
		}
	}
	return after
}
