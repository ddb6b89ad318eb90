package check

import (
	"bufio"
	"io"
	"iter"
	"strings"
	"unicode/utf8"

	"example.org/deref/fetch"
	"example.org/deref/uri"
	"example.org/deref/uri/links"
)

const (
	maxLine   = 1 << 20
	maxJoined = 8 // lines that one URI in brackets may span (RFC 3986 appendix C)
)

// text yields everything that looks like a URI in plain text.
func text(in io.Reader, _ uri.Resolver) iter.Seq2[links.Link, error] {
	return func(yield func(links.Link, error) bool) {
		for p, err := range paragraphs(in) {
			if err != nil {
				yield(links.Link{}, err)
				return
			}
			if l, ok := p.whole(); ok {
				if !yield(l, nil) {
					return
				}
				continue
			}
			line, at := p.line, 0
			for f := range uri.Find(p.text) {
				line, at = line+strings.Count(p.text[at:f.Start], "\n"), f.Start
				if !yield(links.Link{URI: f.URI.ASCII(), Line: line}, nil) {
					return
				}
			}
		}
	}
}

// A paragraph is a line and the following ones that an open bracket in it extends into.
type paragraph struct {
	text string
	line int // number of its first line
}

// whole returns the link of a line in an unknown encoding that is a URI from its beginning to its end. In some encodings, characters contain bytes
// that would end a URI in running text.
func (p paragraph) whole() (links.Link, bool) {
	line := strings.TrimSpace(p.text)
	if utf8.ValidString(line) || strings.ContainsAny(line, " \t\n<>\"") {
		return links.Link{}, false
	}
	u, err := uri.Parse(line)
	_, named := u.Authority()
	return links.Link{URI: u.ASCII(), Line: p.line}, err == nil && u.IsAbs() && named
}

func paragraphs(in io.Reader) iter.Seq2[paragraph, error] {
	return func(yield func(paragraph, error) bool) {
		s := bufio.NewScanner(in)
		s.Buffer(nil, maxLine)
		var p paragraph
		for n := 1; s.Scan(); n++ {
			if p.text == "" {
				p.line = n
			}
			p.text += s.Text() + "\n"
			if isOpen(p.text) && n-p.line < maxJoined {
				continue
			}
			if !yield(p, nil) {
				return
			}
			p.text = ""
		}
		err := fetch.LineError(s.Err(), maxLine)
		if p.text != "" && !yield(p, nil) || err == nil {
			return
		}
		yield(paragraph{}, err)
	}
}

// isOpen reports whether s ends within a bracket around a URI.
func isOpen(s string) bool {
	i := strings.LastIndexByte(s, '<')
	return i > strings.LastIndexByte(s, '>') && strings.Contains(s[i:], ":")
}
