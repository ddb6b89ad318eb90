package gopher

import (
	"io"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/schemes/internal/replies"
	"example.org/deref/uri/links"
)

// plusFailure reads a Gopher+ error: a line with code and administrator, then a message. If the item has moved, the message contains the
// new one, and plusFailure returns a document that refers to it.
func (r *request) plusFailure(c *fetch.Conn, h plusHead) (*fetch.Document, error) {
	defer c.BeginBody()
	d := fetch.NewDocument(nil)
	setBody(d, c, h)
	text, err := io.ReadAll(io.LimitReader(d.Body, headLen))
	first, message, _ := strings.Cut(string(text), "\n")
	code, admin, _ := strings.Cut(strings.TrimSpace(first), " ")
	if err != nil && (fetch.KindOf(err) != fetch.ErrTruncated || code == "") { // an incomplete message is better than no message
		return nil, err
	}
	if message = strings.Join(strings.Fields(message), " "); message == "" {
		message = admin
	}
	switch kind, known := outcomes.Kind(plusError + code); {
	case !known:
		return nil, fetch.Errorf(fetch.ErrRefused, "the server returned error %q: %s", code, message)
	case kind == "":
		return r.moved(string(text), message)
	default:
		e := fetch.Errorf(kind, "the server returned: %s", message)
		e.Gone = kind == fetch.ErrNotFound && replies.SaysNotFound(message) // code 1 means "item is not available", which may be temporary
		return nil, e
	}
}

// moved returns a referral to the item in the message.
func (r *request) moved(text, message string) (*fetch.Document, error) {
	for line := range strings.Lines(text) {
		line = strings.TrimPrefix(strings.TrimRight(line, "\r\n"), "+INFO: ")
		it, ok := links.ParseMenuItem(line)
		if !ok || it.Type == itemInfo || it.Type == itemError {
			continue
		}
		if u, ok := it.URI(r.schemeOf(it)); ok {
			d := fetch.NewDocument(nil)
			d.Size, d.Referrals = 0, []fetch.Referral{{URI: u, Reason: "Gopher+ 3, the item has moved"}}
			return d, nil
		}
	}
	return nil, fetch.Errorf(fetch.ErrNotFound, "the item has moved to an unknown place: %s", message)
}
