package news

import (
	"iter"
	"net/mail"
	"strings"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/mimemail"
)

// setFields sets Header and Modified of d from the fields of an article.
func setFields(d *fetch.Document, h mimemail.Header) {
	for _, f := range h {
		if f.Name != "Message-Id" || d.Header.Get(f.Name) == "" {
			d.Header.Add(f.Name, mimemail.EncodedWords(f.Value))
		}
	}
	d.SetModified(parseDate(h.Get("Date")), time.Second)
}

// parseDate parses a Date field. It returns the zero time if s is not a date.
func parseDate(s string) time.Time {
	s = numericZone(s)
	if t, ok := mimemail.CommonDate(s); ok {
		return t
	}
	t, err := mail.ParseDate(s)
	if err != nil {
		if s, _, ok := strings.Cut(s, "("); ok { // a zone in an unclosed comment
			return parseDate(s)
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

// references yields the message-ids in a field without brackets. It skips everything else.
func references(value string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for {
			_, rest, ok := strings.Cut(value, "<")
			id, after, closed := strings.Cut(rest, ">")
			if !ok || !closed {
				return
			}
			if isID(id) && !yield(id) {
				return
			}
			value = after
		}
	}
}
