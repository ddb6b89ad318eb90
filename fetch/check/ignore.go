package check

import (
	"bufio"
	"bytes"
	"io"
	"sort"

	"example.org/deref/fetch/pieces"
)

// An ignoring reads a document, and notes the lines whose links are ignored because of a comment of their author: the line with the word
// "deref-ignore", the line after "deref-ignore-next", and those from "deref-ignore-start" to "deref-ignore-end". The syntax of the comment is that of the
// document's format; only the word counts. A line is passed on after it has been examined, so that its links are known to be ignored.
type ignoring struct {
	*pieces.Reader
	line   int
	inside bool // after deref-ignore-start
	next   bool // after deref-ignore-next
	lines  []lineRange
}

// A lineRange is a range of ignored lines.
type lineRange struct{ from, to int }

const (
	ignoreMark  = "deref-ignore"
	maxIgnored  = 10_000 // ranges
	longestLine = 64 << 10
)

func newIgnoring(r io.Reader) *ignoring {
	in := bufio.NewReaderSize(r, longestLine)
	g := &ignoring{line: 1}
	g.Reader = pieces.NewReader(func() ([]byte, error) {
		line, err := in.ReadSlice('\n')
		if g.examine(line); err == nil {
			g.line++
		}
		if err == bufio.ErrBufferFull {
			err = nil
		}
		return line, err
	})
	return g
}

// examine notes whether the current line is ignored.
func (g *ignoring) examine(line []byte) {
	ignored := g.inside || g.next
	g.next = false
	for rest := line; ; {
		_, after, found := bytes.Cut(rest, []byte(ignoreMark))
		if !found {
			break
		}
		switch rest = after; {
		case bytes.HasPrefix(after, []byte("-next")):
			g.next = true
		case bytes.HasPrefix(after, []byte("-start")):
			g.inside, ignored = true, true
		case bytes.HasPrefix(after, []byte("-end")):
			g.inside = false
		default:
			ignored = true
		}
	}
	if !ignored {
		return
	}
	if n := len(g.lines); n > 0 && g.lines[n-1].to >= g.line-1 {
		g.lines[n-1].to = g.line
	} else if n < maxIgnored {
		g.lines = append(g.lines, lineRange{g.line, g.line})
	}
}

// ignores reports whether the links of a line are ignored.
func (g *ignoring) ignores(line int) bool {
	i := sort.Search(len(g.lines), func(i int) bool { return g.lines[i].to >= line })
	return i < len(g.lines) && g.lines[i].from <= line
}
