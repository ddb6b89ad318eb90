package foreign

import (
	"bytes"
	"io"
	"slices"
	"strings"

	"golang.org/x/net/html"

	"example.org/deref/uri/markup"
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
func Quiet(r io.Reader, xml bool) io.Reader { return &quiet{r: r, xml: xml} }

// A quiet reads a document without such elements.
type quiet struct {
	r     io.Reader
	xml   bool
	in    []byte // not examined yet
	mute  int    // bytes of in that belong to such an element
	last  byte   // before in
	ready []byte
	err   error // of r
}

// maxTag is the length of a tag that is read to judge it. A longer one is made inert.
const maxTag = 64 << 10

func (q *quiet) Read(p []byte) (int, error) {
	for len(q.ready) == 0 {
		if q.err != nil && len(q.in) == 0 {
			return 0, q.err
		}
		if q.err == nil {
			q.in = slices.Grow(q.in, 16<<10)
			var n int
			n, q.err = q.r.Read(q.in[len(q.in):cap(q.in)])
			q.in = q.in[:len(q.in)+n]
		}
		q.examine()
	}
	n := copy(p, q.ready)
	q.ready = q.ready[n:]
	return n, nil
}

// examine moves what is decided from in to ready.
func (q *quiet) examine() {
	q.ready = q.ready[:0]
	for len(q.in) > 0 {
		i := bytes.IndexAny(q.in, "<sS")
		if i < 0 {
			i = len(q.in)
		}
		if q.mute > 0 {
			i = 0
		}
		if q.pass(i); len(q.in) == 0 || !q.decide() {
			return
		}
	}
}

// decide passes the byte or word at the beginning of in on, or gives it another name. It returns false if more bytes are needed.
func (q *quiet) decide() bool {
	switch c := q.in[0]; {
	case c == '<':
		return q.tag()
	case c == 's' || c == 'S':
		return q.word()
	case q.mute > 0 && strings.IndexByte("\t\n\f\r /\"'", q.last) >= 0 && (hasName(q.in, "rel") || hasName(q.in, "http-equiv")):
		q.insert("data-")
	}
	q.pass(1)
	return true
}

func hasName(p []byte, name string) bool {
	return len(p) >= len(name) && strings.EqualFold(string(p[:len(name)]), name)
}

// tag decides about the tag that may begin here.
func (q *quiet) tag() bool {
	over := q.err != nil || len(q.in) >= maxTag
	name, ended := tagName(q.in[1:])
	if !ended && !over {
		return false
	}
	if q.xml {
		if name == "!entity" || name == "?xml-stylesheet" {
			q.pass(2)
			q.insert("x-")
			return true
		}
		name = name[strings.LastIndexByte(name, ':')+1:]
	}
	if ended && (name == "link" || name == "meta") {
		z := markup.New(bytes.NewReader(q.in), len(q.in)+1)
		whole := z.Next() != html.ErrorToken
		switch {
		case !whole && !over:
			return false
		case !whole: // too long, or without an end
			q.pass(1)
			q.insert("x-")
			return true
		case isBusy(name, z.Token()):
			q.mute = max(q.mute, len(z.Raw()))
		}
	}
	q.pass(1)
	return true
}

// word passes a letter on, or makes the attribute SRCDOC one that means nothing.
func (q *quiet) word() bool {
	const name = "srcdoc"
	n := min(len(q.in), len(name))
	if !hasName(q.in, name[:n]) {
		q.pass(1)
		return true
	}
	rest := bytes.TrimLeft(q.in[n:], "\t\n\f\r ")
	if (n < len(name) || len(rest) == 0) && q.err == nil && len(q.in) < maxTag {
		return false
	}
	if n == len(name) && (len(rest) == 0 || rest[0] == '=') {
		q.insert("data-")
	}
	q.pass(n)
	return true
}

func (q *quiet) insert(s string) { q.ready = append(q.ready, s...) }

func (q *quiet) pass(n int) {
	if n > 0 {
		q.last = q.in[n-1]
	}
	q.ready, q.in, q.mute = append(q.ready, q.in[:n]...), q.in[n:], max(0, q.mute-n)
}

// tagName returns the name of a tag in lower case, and whether it has ended.
func tagName(p []byte) (name string, ended bool) {
	i := bytes.IndexAny(p, "\t\n\f\r />")
	if i < 0 {
		return "", false
	}
	return strings.ToLower(string(p[:min(i, 256)])), true
}

// isBusy reports whether an element makes a browser contact a host.
func isBusy(name string, t html.Token) bool {
	if name == "meta" {
		switch strings.ToLower(strings.TrimSpace(attribute(t, "http-equiv"))) {
		case "refresh", "link", "x-dns-prefetch-control":
			return true
		}
		return false
	}
	for rel := range strings.FieldsSeq(strings.ToLower(attribute(t, "rel"))) {
		switch rel {
		case "preconnect", "dns-prefetch", "prefetch", "preload", "modulepreload", "prerender", "next":
			return true
		}
	}
	return false
}
