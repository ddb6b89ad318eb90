package check

import (
	"bufio"
	"errors"
	"io"
	"iter"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// markdown yields the links of Markdown (CommonMark 0.31): [text](destination "title") and images (section 6.3), definitions [label]:
// destination (4.7), <URI> (6.5), and bare URIs, except in code. It parses only this part of the grammar, line by line.
func markdown(in io.Reader, base uri.Resolver) iter.Seq2[Link, error] {
	return func(yield func(Link, error) bool) {
		s := bufio.NewScanner(in)
		s.Buffer(nil, maxLine)
		fence := ""
		for n := 1; s.Scan(); n++ {
			mark := fenceOf(s.Text())
			switch {
			case fence == "" && mark != "":
				fence = mark
				continue
			case fence != "":
				if strings.HasPrefix(mark, fence) {
					fence = ""
				}
				continue
			}
			for _, l := range lineLinks(withoutCode(s.Text()), base) {
				if l.Line = n; !yield(l, nil) {
					return
				}
			}
		}
		if err := s.Err(); errors.Is(err, bufio.ErrTooLong) {
			yield(Link{}, fetch.Errorf(fetch.ErrLimit, "line longer than %d bytes", maxLine))
		} else if err != nil {
			yield(Link{}, err)
		}
	}
}

// fenceOf returns the mark of a line that begins or ends a code block (section 4.5).
func fenceOf(line string) string {
	line = strings.TrimLeft(line, " >")
	for _, c := range []string{"`", "~"} {
		if n := len(line) - len(strings.TrimLeft(line, c)); n >= 3 {
			return line[:n]
		}
	}
	return ""
}

// withoutCode blanks code spans, which are enclosed by equal numbers of backticks (section 6.1).
func withoutCode(line string) string {
	b := []byte(line)
	for i := 0; i < len(b); {
		n := ticks(b[i:])
		if n == 0 {
			i++
			continue
		}
		end := -1
		for j := i + n; j < len(b); {
			m := ticks(b[j:])
			if m == n {
				end = j + m
				break
			}
			j += max(m, 1)
		}
		if end < 0 {
			i += n
			continue
		}
		blank(b[i:end])
		i = end
	}
	return string(b)
}

// ticks counts the leading backticks of b.
func ticks(b []byte) (n int) {
	for n < len(b) && b[n] == '`' {
		n++
	}
	return n
}

func blank(b []byte) {
	for i := range b {
		b[i] = ' '
	}
}

// lineLinks returns the links of one line. Each byte belongs to at most one link.
func lineLinks(line string, base uri.Resolver) (list []Link) {
	b := []byte(line)
	take := func(from int, text string) int {
		ref, end := destination(line, from)
		if end <= from {
			return from
		}
		if ref != "" {
			list = append(list, resolved(ref, text, base))
		}
		blank(b[from:end])
		return end
	}
	last := 0
	if t := strings.TrimLeft(line, " "); strings.HasPrefix(t, "[") {
		if i := strings.Index(line, "]:"); i >= 0 && !strings.Contains(line[:i], "](") {
			last = take(i+2, "")
		}
	}
	for {
		j := strings.Index(line[last:], "](")
		if j < 0 {
			break
		}
		text := line[last : last+j]
		last = take(last+j+2, text[strings.LastIndexByte(text, '[')+1:])
	}
	for f := range uri.Find(string(b)) {
		list = append(list, Link{URI: f.URI.ASCII()})
	}
	return list
}

// destination parses a destination of section 6.3: in angle brackets, or without blanks and with balanced parentheses.
func destination(line string, from int) (ref string, end int) {
	for from < len(line) && line[from] == ' ' {
		from++
	}
	if from < len(line) && line[from] == '<' {
		n := strings.IndexAny(line[from+1:], "<>") + 1
		if n > 0 && line[from+n] == '>' {
			return line[from+1 : from+n], from + n + 1
		}
		return "", from
	}
	open, i := 0, from
scan:
	for ; i < len(line); i++ {
		switch c := line[i]; {
		case c <= ' ':
			break scan
		case c == '(':
			open++
		case c == ')' && open == 0:
			break scan
		case c == ')':
			open--
		}
	}
	return line[from:i], i
}

func resolved(ref, text string, base uri.Resolver) Link {
	u, err := base.Resolve(ref)
	if err != nil {
		return Link{Ref: ref, Text: text, Err: fetch.Errorf(fetch.ErrRefusedURL, "%w", err)}
	}
	return Link{URI: u, Ref: ref, Text: text}
}
