package mail

import (
	netmail "net/mail"
	"net/textproto"
	"strings"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/schemes/internal/mailtext"
	"example.org/deref/uri"
)

// header holds the fields of a message or part in order, unfolded and otherwise as they came.
type header []field

type field struct{ name, value string }

// Bounds of a header.
const (
	maxHeader = 256 << 10
	maxFields = 2000
)

// parseHeader reads up to the empty line. What is no field is passed over: other readers show such messages, too.
func parseHeader(p []byte) (h header) {
	for line := range strings.SplitSeq(string(p[:min(len(p), maxHeader)]), "\n") {
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
		if name = strings.TrimRight(name, " \t"); ok && isFieldName(name) {
			h = append(h, field{textproto.CanonicalMIMEHeaderKey(name), strings.TrimSpace(value)})
		}
	}
	return h
}

// get returns the first value of a field as it came.
func (h header) get(name string) string {
	name = textproto.CanonicalMIMEHeaderKey(name)
	for _, f := range h {
		if f.name == name {
			return f.value
		}
	}
	return ""
}

// headerOf makes text for people of the fields.
func headerOf(p []byte) textproto.MIMEHeader {
	out := textproto.MIMEHeader{}
	for _, f := range parseHeader(p) {
		out.Add(f.name, mailtext.Words(f.value))
	}
	return out
}

// headFields are those that a listing shows.
func headFields() []string { return []string{"Date", "From", "To", "Cc", "Subject", "Message-ID"} }

// headEntry is a message as an entry, without its URI.
func headEntry(m head) fetch.Entry {
	h := parseHeader(m.fields)
	e := fetch.Entry{Kind: fetch.KindMessage, Type: "message/rfc822", Size: m.size, Modified: m.date, Title: mailtext.Words(h.get("Subject")), Attr: map[string][]string{}}
	if t := when(h.get("Date")); !t.IsZero() {
		e.Modified = t
	}
	for _, name := range headFields() {
		if v := h.get(name); v != "" && name != "Subject" {
			e.Attr[strings.ToLower(name)] = []string{mailtext.Words(v)}
		}
	}
	if id := messageID(h); id != "" {
		if u, err := midURI(id); err == nil {
			e.Attr["mid"] = []string{u.String()}
		}
	}
	return e
}

// when reads a date; the zero time is one that says nothing.
func when(s string) time.Time {
	t, err := netmail.ParseDate(s)
	if err != nil {
		return time.Time{}
	}
	return t
}

// messageID is the id without its brackets, "" where there is none.
func messageID(h header) string { return bareID(h.get("Message-Id")) }

// bareID strips blanks and brackets.
func bareID(s string) string {
	s = strings.TrimSpace(s)
	if strings.HasPrefix(s, "<") && strings.HasSuffix(s, ">") && len(s) > 1 {
		s = s[1 : len(s)-1]
	}
	return s
}

// midURI names a message by its id: RFC 2392 section 2, with "/" escaped.
func midURI(id string) (uri.URI, error) {
	return uri.Parse("mid:" + escapeIn(id, "@!$&'()*+,;=:"))
}
