package gopher

import (
	"io"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/schemes/internal/gone"
)

// The error codes of Gopher+.
const (
	plusNotAvailable = "1"
	plusTryLater     = "2"
	plusMoved        = "3"
)

// plusFailure reads an error: a line with code and administrator, then a message, which for what has moved holds the new item.
func (a *answer) plusFailure(h plusHead) (*fetch.Document, error) {
	d := fetch.NewDocument(nil)
	a.limit(d, h)
	text, err := io.ReadAll(io.LimitReader(d.Body, headLen))
	first, message, _ := strings.Cut(string(text), "\n")
	code, admin, _ := strings.Cut(strings.TrimSpace(first), " ")
	if err != nil && (fetch.KindOf(err) != fetch.ErrTruncated || code == "") { // better half a message than none
		return nil, err
	}
	if message = strings.Join(strings.Fields(message), " "); message == "" {
		message = admin
	}
	switch code {
	case plusNotAvailable:
		e := fetch.Errorf(fetch.ErrNotFound, "the server says: %s", message)
		e.Gone = gone.Said(message) // the code is "item is not available", which it may be again
		return nil, e
	case plusTryLater:
		return nil, fetch.Errorf(fetch.ErrUnavailable, "the server says: %s", message)
	case plusMoved:
		return moved(a, string(text), message)
	}
	return nil, fetch.Errorf(fetch.ErrRefused, "the server says, with code %q: %s", code, message)
}

// moved refers to the item that the message names.
func moved(a *answer, text, message string) (*fetch.Document, error) {
	for line := range strings.Lines(text) {
		line = strings.TrimPrefix(strings.TrimRight(line, "\r\n"), "+INFO: ")
		it, ok := splitItem(line)
		if !ok || it.Type == itemInfo || it.Type == itemError {
			continue
		}
		if u, ok := it.URI("gopher"); ok {
			d := fetch.NewDocument(a)
			d.Size, d.Referrals = 0, []fetch.Referral{{URI: u, Reason: "Gopher+ 3, the item has moved"}}
			return d, nil
		}
	}
	return nil, fetch.Errorf(fetch.ErrNotFound, "the item has moved, the server does not say where to: %s", message)
}
