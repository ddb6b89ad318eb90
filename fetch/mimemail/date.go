package mimemail

import (
	"strings"
	"time"
)

// CommonDate parses a Date field (RFC 5322 section 3.3) in its usual form: with a year of four digits, seconds, and an offset or GMT as its zone. It
// returns false for other forms, which net/mail may know: that tries a dozen layouts, and each failure costs more than the rest of a listing's
// entry.
func CommonDate(s string) (time.Time, bool) {
	layout := "2 Jan 2006 15:04:05 -0700"
	switch {
	case strings.HasSuffix(s, " GMT"):
		layout = "2 Jan 2006 15:04:05 GMT"
	case len(s) < 6 || s[len(s)-5] != '+' && s[len(s)-5] != '-':
		return time.Time{}, false
	}
	if len(s) > 4 && s[3] == ',' {
		s = strings.TrimLeft(s[4:], " ")
	}
	t, err := time.Parse(layout, s)
	return t, err == nil
}
