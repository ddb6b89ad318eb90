// Package charset finds character sets by the labels that documents, mail and news use for them.
package charset

import (
	"strings"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
)

// Lookup returns the encoding of a label. It returns nil for UTF-8, ASCII and unknown labels. As in browsers, Latin-1 is its superset windows-1252,
// and other sets of Windows replace the ISO and national sets that they contain.
//
// The labels are those of the Encoding Standard, and others that mail, news and old systems use. Web has only those of the Standard.
func Lookup(label string) encoding.Encoding {
	name, _ := nameOf(label)
	return named(name)
}

// IsKnown reports whether a label is known.
func IsKnown(label string) bool {
	name, _ := nameOf(label)
	return name != ""
}

// folded removes the ASCII white space around a label and changes ASCII letters to lower case. Labels have no other letters.
func folded(label string) string {
	b := []byte(strings.Trim(label, " \t\n\f\r"))
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}

// Web returns the encoding of a label in HTML, where only the labels of the Encoding Standard count (section 4.2). It returns nil for UTF-8 and
// for other labels; IsWeb distinguishes these.
//
// The Standard replaces a text in HZ-GB-2312 or ISO-2022-KR by one U+FFFD, because scripts can be hidden in it. Web returns their encodings: no
// script of a page runs here, and nothing else makes the text readable.
func Web(label string) encoding.Encoding {
	switch name, web := nameOf(label); {
	case !web:
		return nil
	case name == "us-ascii":
		return charmap.Windows1252
	case name == "utf-16":
		return unicode.UTF16(unicode.LittleEndian, unicode.UseBOM)
	default:
		return named(name)
	}
}

// IsWeb reports whether a label is one that Web knows, or one of UTF-8.
func IsWeb(label string) bool {
	_, web := nameOf(label)
	return web
}
