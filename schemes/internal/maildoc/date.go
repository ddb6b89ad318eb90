package maildoc

import (
	"net/mail"
	"strings"
	"time"

	"example.org/deref/fetch/mimemail"
)

// ParseDate parses a Date field. It returns the zero time if s is not a date.
func ParseDate(s string) time.Time {
	s = numericZone(s)
	if t, ok := mimemail.CommonDate(s); ok {
		return t
	}
	t, err := mail.ParseDate(s)
	if err != nil {
		if s, _, ok := strings.Cut(s, "("); ok { // a zone in an unclosed comment
			return ParseDate(s)
		}
		return time.Time{}
	}
	return t
}

// numericZone replaces the old names of zones by offsets (RFC 5322 section 4.3). Package time treats unknown names as UTC.
func numericZone(s string) string {
	i := strings.LastIndexByte(s, ' ')
	if i < 0 {
		return s
	}
	offset := ""
	switch s[i+1:] {
	case "UT", "UTC", "Z":
		offset = "+0000"
	case "EDT":
		offset = "-0400"
	case "EST", "CDT":
		offset = "-0500"
	case "CST", "MDT":
		offset = "-0600"
	case "MST", "PDT":
		offset = "-0700"
	case "PST":
		offset = "-0800"
	default:
		return s
	}
	return s[:i+1] + offset
}
