package markup

import (
	"bytes"
	"iter"
	"strings"
)

// white is the white space of HTML.
const white = " \t\n\f\r"

// A Span is the position of an attribute in a tag. If it has no value, Value equals ValueEnd.
type Span struct {
	Name, NameEnd, Value, ValueEnd int
	Quoted                         bool
}

// Attributes yields the positions of the attributes of a start tag, from < to >. HTML Standard section 13.2.5.32 to 39.
func Attributes(tag []byte) iter.Seq[Span] {
	return func(yield func(Span) bool) {
		i := skip(tag, 1, func(c byte) bool { return strings.IndexByte(white+"/>", c) < 0 })
		for {
			i = skip(tag, i, func(c byte) bool { return strings.IndexByte(white+"/", c) >= 0 })
			if i >= len(tag) || tag[i] == '>' {
				return
			}
			a := Span{Name: i}
			i = skip(tag, i+1, func(c byte) bool { return strings.IndexByte(white+"/>=", c) < 0 }) // "=" may begin a name
			a.NameEnd = i
			eq := skip(tag, i, isWhite)
			if eq < len(tag) && tag[eq] == '=' {
				i = skip(tag, eq+1, isWhite)
				a.Value, a.ValueEnd, i, a.Quoted = valueAt(tag, i)
			}
			if !yield(a) {
				return
			}
		}
	}
}

func isWhite(c byte) bool { return strings.IndexByte(white, c) >= 0 }

func valueAt(tag []byte, i int) (from, to, next int, quoted bool) {
	if i < len(tag) && (tag[i] == '"' || tag[i] == '\'') {
		end := bytes.IndexByte(tag[i+1:], tag[i])
		if end < 0 {
			return len(tag), len(tag), len(tag), true
		}
		return i + 1, i + 1 + end, i + 2 + end, true
	}
	end := skip(tag, i, func(c byte) bool { return strings.IndexByte(white+">", c) < 0 })
	return i, end, end, false
}

func skip(s []byte, i int, over func(byte) bool) int {
	for i < len(s) && over(s[i]) {
		i++
	}
	return i
}
