package charset

import (
	"io"
	"strings"
	"unicode/utf8"

	"example.org/deref/fetch/pieces"
	"example.org/deref/uri"
)

// HeadSize is how much of a document Peek reads.
const HeadSize = 1024

// UTF8 is the label of UTF-8.
const UTF8 = "utf-8"

// Peek reads the first HeadSize bytes of r, or all if there are fewer. It also returns a Reader of all of r, which returns an error of r after the
// bytes before it. Peek returns an error if there are none.
func Peek(r io.Reader) (beginning []byte, all io.Reader, err error) {
	a := &pieces.Ahead{Rest: r}
	if a.Fill(HeadSize); len(a.Held) == 0 && a.Err != nil && a.Err != io.EOF {
		return nil, nil, a.Err
	}
	return a.Held, a, nil
}

// Text decodes a short string without a label, such as a title. It returns UTF-8 unchanged, and guesses the encoding of anything else.
func Text(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return TextIn(s, Detect([]byte(s)))
}

// TextAmong decodes a line of a list whose lines are in the charset of a label, or "", as it was guessed. A line that is clearly in another charset
// is decoded in that.
func TextAmong(s, label string) string {
	if high := fromHigh([]byte(s)); len(high) > 0 {
		label, _ = likeliest(high, folded(label))
	}
	return TextIn(s, label)
}

// IsText reports whether s is UTF-8 without other control characters than tabs and line ends.
func IsText(s string) bool { return utf8.ValidString(s) && !strings.ContainsFunc(s, isControl) }

// Cut returns the first n bytes of s, which is longer, or up to three fewer, so that no character is cut.
func Cut(s string, n int) string {
	for i := n; i > 0 && i > n-utf8.UTFMax; i-- {
		if utf8.RuneStart(s[i]) {
			return s[:i]
		}
	}
	return s[:n] // not UTF-8
}

func isControl(r rune) bool { return r < ' ' && r != '\n' && r != '\r' && r != '\t' || r == 0x7f }

// Value returns the text of a value that is text in any charset, or other bytes such as those of a photo. It returns false if it is not text.
func Value(s string) (text string, ok bool) {
	if utf8.ValidString(s) || strings.ContainsFunc(s, isControl) {
		return s, IsText(s)
	}
	high := fromHigh([]byte(s))
	label, score := likeliest(high, "")
	for _, c := range high { // compared with random bytes, whose logarithm is -5.5
		switch {
		case c >= utf8.RuneSelf:
			score += 5.5
		case isLetter(c):
			score += 2.3
		}
	}
	return TextIn(s, label), score > 4
}

// TextIn decodes a short string in the encoding of a label. It returns s unchanged if the label is that of UTF-8, or unknown.
func TextIn(s, label string) string {
	if decode := Piece(label); decode != nil {
		return string(decode([]byte(s)))
	}
	return s
}

// Page returns the text of a document in UTF-8 and the Resolver for its references. Every function that reads links uses it, so that one link is one
// URI. The Resolver encodes queries in the charset that the Reader has found when they are resolved.
func (s Source) Page(r io.Reader, base uri.URI) (*Reader, uri.Resolver) {
	t := s.NewReader(r)
	return t, uri.Resolver{Base: base, Query: func(text string) string {
		if encode := Query(t.label); encode != nil {
			return encode(text)
		}
		return text
	}}
}

// Page is Source.Page for a document whose content type is all that is known.
func Page(r io.Reader, contentType string, base uri.URI) (text io.Reader, in uri.Resolver, err error) {
	t, in := Source{Type: contentType}.Page(r, base)
	return t, in, t.Begin()
}
