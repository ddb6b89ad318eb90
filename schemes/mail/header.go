package mail

import (
	netmail "net/mail"
	"net/textproto"
	"strings"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/mimemail"
	"example.org/deref/uri"
)

// headerOf makes text for people of the fields.
func headerOf(p []byte) textproto.MIMEHeader {
	out := textproto.MIMEHeader{}
	for _, f := range mimemail.ParseHeader(p) {
		out.Add(f.Name, mimemail.Words(f.Value))
	}
	return out
}

// headFields are those that a listing shows.
func headFields() []string { return []string{"Date", "From", "To", "Cc", "Subject", "Message-ID"} }

// headEntry is a message as an entry, without its URI.
func headEntry(m head) fetch.Entry {
	h := mimemail.ParseHeader(m.fields)
	e := fetch.Entry{Kind: fetch.KindMessage, Type: "message/rfc822", Size: m.size, Modified: m.date, Title: mimemail.Words(h.Get("Subject")), Attr: map[string][]string{}}
	if t := when(h.Get("Date")); !t.IsZero() {
		e.Modified = t
	}
	for _, name := range headFields() {
		if v := h.Get(name); v != "" && name != "Subject" {
			e.Attr[strings.ToLower(name)] = []string{mimemail.Words(v)}
		}
	}
	if id := h.MessageID(); id != "" {
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

// midURI names a message by its id: RFC 2392 section 2, with "/" escaped.
func midURI(id string) (uri.URI, error) {
	return uri.Parse("mid:" + escapeIn(id, idSafe))
}

// idSafe is what stands in an id as it is: RFC 3986 section 3.3, pchar.
const idSafe = "@!$&'()*+,;=:"
