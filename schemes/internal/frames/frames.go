// Package frames helps schemes to put the frames of binary protocols into words (fetch.Scheme.Decode): quoted values of bounded length, and the
// elements of BER (X.690) of which only the beginning may be there.
package frames

import (
	"strconv"
	"unicode/utf8"
)

// maxQuoted is how many bytes of a value are shown.
const maxQuoted = 60

// Quote returns a value from the wire in quotes, without control characters. It ends a long one with "..." and the length.
func Quote[T string | []byte](value T) string {
	s := string(value)
	if len(s) <= maxQuoted {
		return strconv.Quote(s)
	}
	n := maxQuoted
	for n > maxQuoted-utf8.UTFMax && !utf8.RuneStart(s[n]) {
		n--
	}
	return strconv.Quote(s[:n]) + "... (" + strconv.Itoa(len(s)) + " bytes)"
}

// An Element is a BER element with a tag of one byte and a definite length.
type Element struct {
	Tag      byte
	Contents []byte // as far as they are there
	Size     int    // of the whole element; 0 if its length has not arrived
}

// Next splits off the first element of b. ok is false if b does not begin with one. If b ends within the element, rest is empty and Size is larger
// than b.
func Next(b []byte) (e Element, rest []byte, ok bool) {
	if len(b) == 0 || b[0]&0x1f == 0x1f {
		return e, nil, false
	}
	if e.Tag = b[0]; len(b) < 2 {
		return e, nil, true
	}
	n, at := int(b[1]), 2
	if n >= 0x80 {
		count := n & 0x7f
		if count == 0 || count > 4 {
			return e, nil, false
		}
		if at += count; len(b) < at {
			return e, nil, true
		}
		n = 0
		for _, c := range b[2:at] {
			n = n<<8 | int(c)
		}
		if n < 0 || n > 1<<31-16 {
			return e, nil, false
		}
	}
	e.Size = at + n
	end := min(len(b), e.Size)
	e.Contents = b[at:end]
	return e, b[end:], true
}

// Int returns the value of an INTEGER or ENUMERATED, 0 if it has no bytes or more than eight.
func (e Element) Int() (n int64) {
	if len(e.Contents) == 0 || len(e.Contents) > 8 {
		return 0
	}
	n = int64(int8(e.Contents[0]))
	for _, c := range e.Contents[1:] {
		n = n<<8 | int64(c)
	}
	return n
}

// A Reader reads elements one after the other. Bad is set when one is missing.
type Reader struct {
	Rest []byte
	Bad  bool
}

// Next returns the next element, the zero Element if there is none.
func (r *Reader) Next() Element {
	e, rest, ok := Next(r.Rest)
	if !ok {
		r.Rest, r.Bad = nil, true
		return Element{}
	}
	r.Rest = rest
	return e
}
