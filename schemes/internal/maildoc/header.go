package maildoc

import (
	"iter"
	"strings"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/mimemail"
	"example.org/deref/uri"
)

// MessageType is the media type of a message or article.
const MessageType = "message/rfc822"

// SetFields sets Header and Modified of d from the fields of a message.
func SetFields(d *fetch.Document, h mimemail.Header) {
	for _, f := range h {
		if f.Name != "Message-Id" || d.Header.Get(f.Name) == "" {
			d.Header.Add(f.Name, mimemail.EncodedWords(f.Value))
		}
	}
	d.SetModified(mimemail.Date(h.Get("Date")), time.Second)
}

// MessageEntry returns the listing entry of a message, without its URI. Besides the subject, it has some fields.
func MessageEntry(h mimemail.Header, fields ...string) fetch.Entry {
	e := fetch.Entry{Kind: fetch.KindMessage, Type: MessageType, Size: -1, Title: mimemail.EncodedWords(h.Get("Subject")),
		Attr: map[string][]string{}}
	if e.Modified = mimemail.Date(h.Get("Date")); !e.Modified.IsZero() {
		e.Precision = time.Second
	}
	for _, name := range fields {
		if v := h.Get(name); v != "" && name != "Subject" {
			e.Attr[strings.ToLower(name)] = []string{mimemail.EncodedWords(v)}
		}
	}
	return e
}

// Links yields the links of a header field: to other messages (RFC 5322 section 3.6.4, RFC 5536 section 3.2), whose URIs message makes of their ids,
// and of mailing lists (RFC 2369, RFC 5064).
func Links(f mimemail.Field, message func(id string) uri.URI) iter.Seq[fetch.Entry] {
	return func(yield func(fetch.Entry) bool) {
		for word := range strings.SplitSeq(f.Value, "<") {
			text, _, ok := strings.Cut(word, ">")
			e := fetch.Entry{Title: text, Kind: fetch.KindLink}
			text = strings.Join(strings.Fields(text), "")
			switch f.Name {
			case "References", "In-Reply-To", "Supersedes", "Also-Control", "See-Also":
				e.Kind, e.Type, e.Title = fetch.KindMessage, MessageType, "<"+e.Title+">"
				e.URI = message(text)
			case "Archived-At", "List-Archive", "List-Help", "List-Post", "List-Subscribe", "List-Unsubscribe", "List-Owner":
				e.URI, _ = uri.Parse(text)
			default:
				return
			}
			if ok && e.URI.IsAbs() && !yield(e) {
				return
			}
		}
	}
}
