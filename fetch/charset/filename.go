package charset

import (
	"strings"
	"unicode/utf8"
)

// FileName returns a file name of a server whose names are in the charset label as text. It returns the name unchanged if that is UTF-8 already,
// if the label is unknown or empty, or if the name has bytes that the charset does not have: it is then in another one.
func FileName(name, label string) string {
	if utf8.ValidString(name) {
		return name
	}
	if text := TextIn(name, label); !strings.ContainsRune(text, utf8.RuneError) {
		return text
	}
	return name
}
