// Package frames helps schemes to read the frames of binary protocols, and to put them into words (fetch.Scheme.Decode): the elements of BER
// (X.690) of which only the beginning may be there, and quoted values of bounded length.
package frames

import (
	"strconv"
	"unicode/utf8"
)

// Word returns the nth of the names of an enumeration, and the number itself if it has none.
func Word[N byte | int64](n N, names ...string) string {
	if n >= 0 && int64(n) < int64(len(names)) && names[n] != "" {
		return names[n]
	}
	return strconv.FormatInt(int64(n), 10)
}

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
