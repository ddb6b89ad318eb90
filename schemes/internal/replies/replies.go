// Package replies holds the table that maps a protocol's replies to kinds of errors. A scheme has one such table: it decides the Kind of an
// error, it is printed in the scheme's Help, and schemetest.Page compares it with the scheme's package page.
package replies

import (
	"strings"
	"unicode/utf8"

	"example.org/deref/fetch"
)

// A Table lists replies. Kind uses the first Row that matches, so "4xx" after "404" means the others.
type Table []Row

// A Row is the meaning of some replies.
type Row struct {
	// On lists codes, separated by commas. A small x stands for any digit, and "other" before a code is only for readers: "404, 410",
	// "other 4xx". Anything else, such as "no status line", describes what the scheme itself recognizes.
	On   string
	Kind fetch.Kind // empty if the reply is not an error
	Note string     // meaning of the reply, or advice; may be empty if there is a Kind
}

// Kind returns the Kind of the first Row that lists code. It returns false if no Row does.
func (t Table) Kind(code string) (fetch.Kind, bool) {
	for _, r := range t {
		if r.lists(code) {
			return r.Kind, true
		}
	}
	return "", false
}

func (r Row) lists(code string) bool {
	for pattern := range strings.SplitSeq(r.On, ",") {
		if matches(strings.TrimPrefix(strings.TrimSpace(pattern), "other "), code) {
			return true
		}
	}
	return false
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

// String returns the table in two columns, one line a Row, as Help and the package page have it.
func (t Table) String() string {
	width := 0
	for _, r := range t {
		width = max(width, utf8.RuneCountInString(r.On))
	}
	var b strings.Builder
	for _, r := range t {
		b.WriteString(r.On)
		b.WriteString(strings.Repeat(" ", width+2-utf8.RuneCountInString(r.On)))
		b.WriteString(r.meaning())
		b.WriteByte('\n')
	}
	return b.String()
}

func (r Row) meaning() string {
	switch {
	case r.Kind == "":
		return r.Note
	case r.Note == "":
		return string(r.Kind)
	}
	return string(r.Kind) + ": " + r.Note
}
