package news

import (
	"iter"
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
	d.SetModified(mimemail.Date(h.Get("Date")), time.Second)
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
