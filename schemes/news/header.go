package news

import (
	"iter"
	"net/mail"
	"net/textproto"
	"strings"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/schemes/internal/mailtext"
)

// A header is that of an article: its fields in order, unfolded and otherwise as they came.
type header []field

type field struct{ name, value string }

// maxFields bounds a header whose lines are all short.
const maxFields = 2000

// parseHeader reads up to the empty line. What is no field is passed over: other readers show such articles, too.
func parseHeader(p []byte) (h header) {
	for line := range strings.SplitSeq(string(headOf(p)), "\n") {
		line = strings.TrimSuffix(line, "\r")
		if line == "" || len(h) >= maxFields {
			break
		}
		if line[0] == ' ' || line[0] == '\t' {
			if n := len(h); n > 0 {
				h[n-1].value += " " + strings.TrimLeft(line, " \t")
			}
			continue
		}
		name, value, ok := strings.Cut(line, ":")
		if name = strings.TrimSpace(name); ok && isWord(name) {
			h = append(h, field{textproto.CanonicalMIMEHeaderKey(name), strings.TrimSpace(value)})
		}
	}
	return h
}

// get returns the first value of a field as it came.
func (h header) get(name string) string {
	for _, f := range h {
		if f.name == name {
			return f.value
		}
	}
	return ""
}

// into puts the fields into the Header of d as text, and what they say of the article beside it.
func (h header) into(d *fetch.Document) {
	for _, f := range h {
		if f.name != "Message-Id" || d.Header.Get(f.name) == "" {
			d.Header.Add(f.name, mailtext.Words(f.value))
		}
	}
	d.Modified = when(h.get("Date"))
}

// when reads a date; the zero time is one that says nothing.
func when(s string) time.Time {
	t, err := mail.ParseDate(s)
	if err != nil {
		if s, _, ok := strings.Cut(s, "("); ok { // a zone in a comment that is not closed
			return when(s)
		}
		return time.Time{}
	}
	return t
}

// references yields the message-ids in a field, without brackets; what is none is passed over.
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
