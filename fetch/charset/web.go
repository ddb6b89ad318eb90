package charset

import (
	"strings"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/unicode"
)

// Web returns the encoding of a label in HTML, where only the labels of the Encoding Standard count (section 4.2). It returns nil for UTF-8 and
// for other labels; IsWeb distinguishes these.
//
// The Standard replaces a text in HZ-GB-2312 or ISO-2022-KR by one U+FFFD, because scripts can be hidden in it. Web returns their encodings: no
// script of a page runs here, and nothing else makes the text readable.
func Web(label string) encoding.Encoding {
	switch label = folded(label); {
	case !IsWeb(label):
		return nil
	case IsASCII(label):
		return charmap.Windows1252
	case label == "utf-16":
		return unicode.UTF16(unicode.LittleEndian, unicode.UseBOM)
	}
	return Lookup(label)
}

// IsWeb reports whether a label is one that Web knows, or one of UTF-8. Nothing here decodes ISO-2022-CN.
func IsWeb(label string) bool {
	_, err := htmlindex.Get(folded(label))
	return err == nil && !strings.HasPrefix(folded(label), "iso-2022-cn")
}
