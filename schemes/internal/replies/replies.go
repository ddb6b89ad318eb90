// Package replies holds the table that maps a protocol's replies to kinds of errors. A scheme has one such table: it decides the Kind of an
// error, it is printed in the scheme's Help, and schemetest.Page compares it with the scheme's package page.
package replies

import (
	"cmp"
	"strconv"
	"strings"

	"example.org/deref/fetch"
)

// A Table lists replies and their meaning in two columns, as Help and the package page have it:
//
//	2xx                the document
//	404, 410           notfound
//	other 4xx, NOPERM  refused: the user may not
//
// The left one has codes, separated by commas. A small x stands for any digit, and "other" before a code is only for readers. Anything else, such
// as "no status line", describes what the scheme itself recognizes. The right one has the Kind of the error and perhaps a note after a colon, or,
// for a reply that is not an error, a note whose first words are not one word. Kind uses the first line that matches, so "4xx" after "404" means
// the others.
type Table string

// Kind returns the Kind of the first line that lists code. It returns false if no line does.
func (t Table) Kind(code string) (fetch.Kind, bool) {
	for line := range strings.Lines(string(t)) {
		codes, meaning, _ := strings.Cut(line, "  ")
		for pattern := range strings.SplitSeq(codes, ",") {
			if !matches(strings.TrimPrefix(strings.TrimSpace(pattern), "other "), code) {
				continue
			}
			kind, _, _ := strings.Cut(strings.TrimSpace(meaning), ":")
			if strings.Contains(kind, " ") {
				kind = ""
			}
			return fetch.Kind(kind), true
		}
	}
	return "", false
}

// Fault is Kind for a reply with a number that is an error. A number that no line lists is ErrProtocol.
func (t Table) Fault(code int) fetch.Kind {
	kind, _ := t.Kind(strconv.Itoa(code))
	return cmp.Or(kind, fetch.ErrProtocol)
}

func matches(pattern, code string) bool {
	if len(pattern) != len(code) || code == "" {
		return false
	}
	for i := range len(code) {
		c := code[i]
		if isDigit := '0' <= c && c <= '9'; pattern[i] == 'x' && !isDigit || pattern[i] != 'x' && pattern[i] != c {
			return false
		}
	}
	return true
}
