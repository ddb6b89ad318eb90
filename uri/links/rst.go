package links

import (
	"bytes"
	"io"
	"iter"
	"strings"

	"example.org/deref/uri"
)

// ReST yields the links of reStructuredText: `text <reference>`_, targets (".. _name: reference", "__ reference"), images and figures with their
// :target:, included files, and bare URIs. Comments, literal text and the directives that contain code have none. r is its text in UTF-8; base resolves
// the references. If a reference is invalid, its Link comes with an error. A read error comes last, with a zero Link.
func ReST(r io.Reader, base uri.Resolver) iter.Seq2[Link, error] {
	return func(yield func(Link, error) bool) {
		t := rest{paragraph: paragraph{base: base}, skip: -1}
		flush := func() bool {
			t.read()
			return t.flush(yield)
		}
		for l, err := range textLines(r) {
			if err != nil {
				if flush() {
					yield(Link{}, err)
				}
				return
			}
			line := strings.TrimRight(l.text, " \t")
			if (line == "" || len(t.text) > maxParagraph || strings.HasPrefix(strings.TrimLeft(line, " "), ".. ")) && !flush() {
				return
			}
			if t.isText(line) {
				t.line(line, l.number)
			}
		}
		flush()
	}
}

// A rest is the state of reading one document.
type rest struct {
	paragraph
	skip    int // the indentation of the line whose indented block is not read, or -1
	literal int // the indentation of a paragraph that ends with "::", plus one
}

// isText reports whether a line is read.
func (t *rest) isText(line string) bool {
	if line == "" {
		if t.literal > 0 {
			t.skip, t.literal = t.literal-1, 0
		}
		return false
	}
	indent := indentOf(line)
	if t.skip >= 0 && indent > t.skip {
		return false
	}
	t.skip = -1
	if t.literal = 0; strings.HasSuffix(line, "::") && !strings.HasPrefix(line[indentBytes(line):], ".. ") {
		t.literal = indent + 1
	}
	return true
}

// indentBytes returns the number of bytes before the text of a line.
func indentBytes(line string) int { return len(line) - len(strings.TrimLeft(line, " \t")) }

// line handles a line: explicit markup, a target, an option of an image, or text.
func (t *rest) line(line string, number int) {
	at := indentBytes(line)
	inner := line[at:]
	switch {
	case strings.HasPrefix(inner, ".. "):
		t.explicit(line, at, number)
		return
	case inner == "..":
		t.skip = indentOf(line)
		return
	}
	begin := len(t.text)
	t.add(line, number)
	for _, mark := range []string{"__ ", ":target: "} {
		if ref, ok := strings.CutPrefix(inner, mark); ok {
			t.refers(begin+at, mark[:1], ref)
			t.blank(begin, len(t.text)-1)
		}
	}
}

// refers adds a reference, unless it is the name of another target.
func (t *rest) refers(at int, element, ref string) {
	ref = strings.TrimSpace(ref)
	if strings.HasSuffix(ref, "_") && !strings.ContainsAny(ref, ":/.") || strings.HasSuffix(ref, "`_") {
		return
	}
	t.link(at, element, strings.ReplaceAll(strings.ReplaceAll(ref, `\_`, "_"), " ", ""), "")
}

// explicit handles a line that begins with "..": a target, a directive, a footnote, a substitution, or a comment.
func (t *rest) explicit(line string, at, number int) {
	inner := strings.TrimLeft(line[at+2:], " ")
	t.add(line, number)
	if ref, ok := targetOf(inner); ok {
		t.refers(at, "target", ref)
		t.blank(0, len(t.text)-1)
		return
	}
	if strings.HasPrefix(inner, "[") { // a footnote or citation
		return
	}
	if strings.HasPrefix(inner, "|") { // |name| image:: reference
		if n := strings.IndexByte(inner[1:], '|'); n >= 0 {
			inner = strings.TrimLeft(inner[n+2:], " ")
		}
	}
	name, argument, ok := strings.Cut(inner, "::")
	argument = strings.TrimSpace(argument)
	switch name = strings.TrimSpace(name); {
	case !ok || strings.ContainsAny(name, " "): // a comment
		t.skip = at
		t.blank(0, len(t.text)-1)
	case isCodeDirective(name):
		t.skip = at
		t.blank(0, len(t.text)-1)
	case name == "image" || name == "figure" || name == "include" || name == "literalinclude":
		if !strings.HasPrefix(argument, "<") { // a file of docutils itself
			t.link(at, name, argument, "")
		}
		t.blank(0, len(t.text)-1)
	}
}

// isCodeDirective reports whether the contents of a directive are not text.
func isCodeDirective(name string) bool {
	switch name {
	case "code", "code-block", "sourcecode", "math", "raw", "parsed-literal", "highlight", "doctest", "testcode", "testoutput", "prompt", "graphviz",
		"digraph", "graph", "productionlist", "toctree", "meta":
		return true
	}
	return false
}

// targetOf parses "_name: reference" and "__: reference".
func targetOf(s string) (ref string, ok bool) {
	s, ok = strings.CutPrefix(s, "_")
	if !ok {
		return "", false
	}
	at := 0
	if strings.HasPrefix(s, "`") {
		at = strings.IndexByte(s[1:], '`') + 1
	}
	for i := at; i < len(s); i++ {
		switch {
		case s[i] == '\\':
			i++
		case s[i] == ':' && (i+1 == len(s) || s[i+1] == ' '):
			return s[i+1:], true
		}
	}
	return "", false
}

// read finds the links of a paragraph.
func (t *rest) read() {
	for at := 0; at < len(t.text); {
		n := bytes.IndexByte(t.text[at:], '`')
		if n < 0 {
			break
		}
		at = t.quoted(at + n)
	}
	t.bare()
}

// quoted handles the backtick at an offset, and returns the offset after what it begins: “literal“, `text <reference>`_ or :role:`text`.
func (t *rest) quoted(at int) int {
	if bytes.HasPrefix(t.text[at:], []byte("``")) {
		n := bytes.Index(t.text[at+2:], []byte("``"))
		if n < 0 {
			return len(t.text)
		}
		t.blank(at, at+2+n+2)
		return at + 2 + n + 2
	}
	n := bytes.IndexByte(t.text[at+1:], '`')
	if n < 0 {
		return len(t.text)
	}
	end := at + 1 + n + 1
	text := string(t.text[at+1 : end-1])
	open := strings.LastIndexByte(text, '<')
	isLink := bytes.HasPrefix(t.text[end:], []byte("_")) && open >= 0 && strings.HasSuffix(text, ">")
	if isLink {
		t.embedded(at, text[:open], text[open+1:len(text)-1])
	}
	if isLink || at > 0 && t.text[at-1] == ':' {
		t.blank(at, end)
	}
	return end
}

// embedded adds the reference of a phrase. One that ends with "_" is the name of a target.
func (t *rest) embedded(at int, label, ref string) {
	ref = strings.Join(strings.Fields(ref), "")
	if strings.HasSuffix(ref, "_") && !strings.HasSuffix(ref, `\_`) {
		return
	}
	t.link(at, "a", strings.ReplaceAll(ref, `\_`, "_"), label)
}
