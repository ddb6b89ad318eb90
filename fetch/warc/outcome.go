package warc

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net/textproto"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// An Outcome is the result of a request in a protocol other than HTTP, or of a failed one. It is archived as comments at the beginning of
// the dialogue.
type Outcome struct {
	URI    string
	Kind   string // "whole", "unread", "canceled", or the Kind of the error
	Error  string
	Opened bool // a document was received

	fetch.Document        // without Body
	Base           string // of the document; "" if it is its URI
	Entries        bool   // parsed from the bytes: replaying the dialogue yields them again
	Range          bool   // only a range was requested and received: from Offset on
	Selection      string // the requested part or search, such as "part 2" or "search ftp"; "" is the whole object
	LeftOut        bool   // the dialogue does not contain all bytes of the document
}

// noDocument returns a document of which nothing is known.
func noDocument() fetch.Document {
	return fetch.Document{Size: -1, Validator: fetch.Validator{Size: -1}, Header: textproto.MIMEHeader{}}
}

// Kinds of an Outcome that are not error kinds.
const (
	kindWhole    = "whole"
	kindUnread   = "unread"
	kindCanceled = "canceled"
)

// setDocument copies the fields of the document.
func (o *Outcome) setDocument(d *fetch.Document) {
	o.Opened, o.Document = true, *d
	if !d.Base.IsZero() && d.Base.String() != o.URI {
		o.Base = d.Base.String()
	}
	o.Entries = d.Entries != nil && d.Type != fetch.ListingType
}

// setError sets the error of the dereferencing.
func (o *Outcome) setError(err error) {
	switch {
	case err == nil:
		o.Kind = kindWhole
	case errors.Is(err, io.ErrClosedPipe):
		o.Kind = kindUnread
	case errors.Is(err, context.Canceled):
		o.Kind = kindCanceled
	default:
		o.Kind, o.Error = string(fetch.KindOf(err)), err.Error()
	}
}

// isObject reports whether there is a document and not only referrals.
func (o *Outcome) isObject() bool { return o.Opened && len(o.Referrals) == 0 && !o.NotModified }

// reason returns the value of WARC-Truncated for the outcome (ISO 28500:2017 section 5.13), or "" if the document is complete.
func (o *Outcome) reason() string {
	switch fetch.Kind(o.Kind) {
	case kindWhole, fetch.ErrInteractive: // a session's first screen is the whole document
		if o.Offset == 0 && !o.Range && !strings.HasPrefix(o.Selection, "part ") {
			return ""
		}
	case fetch.ErrLimit:
		return "length"
	case fetch.ErrTimeout:
		return "time"
	case fetch.ErrTruncated, fetch.ErrConnection, fetch.ErrTLS:
		return "disconnect"
	}
	return "unspecified"
}

// failure returns the error that the dereferencing ended with.
func (o *Outcome) failure() error {
	switch o.Kind {
	case kindUnread, kindCanceled:
		return fetch.Errorf(fetch.ErrTruncated, "the capture was abandoned before the end")
	}
	k := fetch.Kind(o.Kind)
	if k == "" || len(k) > 20 || strings.ContainsFunc(o.Kind, func(c rune) bool { return c != '-' && (c < 'a' || c > 'z') }) {
		k = fetch.ErrProtocol
	}
	return fetch.Errorf(k, "%s", cmp.Or(o.Error, "the capture failed"))
}

// document returns the document of an outcome that was parsed.
func (o *Outcome) document(body io.ReadCloser) *fetch.Document {
	d := o.Document
	d.Body = body
	if u, err := uri.Parse(o.Base); err == nil && u.IsAbs() {
		d.Base = u
	}
	return &d
}
