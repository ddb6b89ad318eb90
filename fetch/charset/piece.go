package charset

import (
	"io"

	"golang.org/x/text/encoding"
	"golang.org/x/text/transform"
)

// Piece returns the function that decodes a piece of a document with that label to UTF-8. It returns nil for UTF-8 and unknown labels. The label
// must not be one of a form that IsWide reports.
func Piece(label string) func([]byte) []byte {
	e := Lookup(label)
	if e == nil {
		return nil
	}
	return func(b []byte) []byte {
		text, err := e.NewDecoder().Bytes(b)
		if err != nil {
			return b
		}
		return text
	}
}

// IsWide reports whether bytes of ASCII may be parts of other characters in a document with that label, such as UTF-16, EBCDIC and ISO-2022-JP. The
// markup of such a document can be found only after decoding.
func IsWide(label string) bool {
	name, _ := nameOf(label)
	switch name {
	case "iso-2022-jp", "iso-2022-kr", "hz-gb-2312", "utf-7": // ASCII is encoded as itself, but so are other characters
		return true
	}
	e := named(name)
	return e != nil && !HasASCII(e)
}

// HasASCII reports whether e encodes ASCII as the same bytes. UTF-16, UTF-32 and EBCDIC do not.
func HasASCII(e encoding.Encoding) bool {
	a, err := e.NewEncoder().String("a")
	return a == "a" && err == nil
}

// NewWriter returns a Writer that encodes UTF-8 for a page with that label. A character without such bytes becomes a character reference of HTML.
// Close writes the end of the page and does not close w.
func NewWriter(w io.Writer, label string) io.WriteCloser {
	return transform.NewWriter(w, pageEncoder(label))
}

// Encode returns a Reader of r, which is UTF-8, encoded as by NewWriter.
func Encode(r io.Reader, label string) io.Reader { return transform.NewReader(r, pageEncoder(label)) }

func pageEncoder(label string) transform.Transformer {
	e := Lookup(label)
	if e == nil {
		return transform.Nop
	}
	return encoding.HTMLEscapeUnsupported(e.NewEncoder())
}
