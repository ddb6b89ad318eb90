package mimemail

import (
	"net/mail"
	"strings"
	"time"
)

// Date parses a Date field (RFC 5322 section 3.3), also with the old names of zones (section 4.3), which package time treats as UTC, and with an
// unclosed comment at its end. It returns the zero time if s is not a date.
func Date(s string) time.Time {
	if i := strings.LastIndexByte(s, ' '); i >= 0 {
		s = s[:i+1] + offsetOf(s[i+1:])
	}
	if t, ok := commonDate(s); ok {
		return t
	}
	t, err := mail.ParseDate(s)
	if err != nil {
		if s, _, ok := strings.Cut(s, "("); ok {
			return Date(s)
		}
		return time.Time{}
	}
	return t
}

// offsetOf returns the offset of a zone. It returns anything else unchanged.
func offsetOf(zone string) string {
	switch zone {
	case "UT", "UTC", "Z":
		return "+0000"
	case "EDT":
		return "-0400"
	case "EST", "CDT":
		return "-0500"
	case "CST", "MDT":
		return "-0600"
	case "MST", "PDT":
		return "-0700"
	case "PST":
		return "-0800"
	}
	return zone
}

// commonDate parses a date in its usual form: with a year of four digits, seconds, and an offset or GMT as its zone. It returns false for other
// forms, which net/mail may know: that tries a dozen layouts, and each failure costs more than the rest of a listing's entry.
func commonDate(s string) (time.Time, bool) {
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
