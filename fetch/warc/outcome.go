package warc

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net/textproto"
	"strings"
	"time"

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

	Type, TypeReason string
	Size, Offset     int64
	End              fetch.End
	Status           int
	Reason           string
	Missing          int64
	Modified         time.Time
	Precision        time.Duration // of Modified, as in fetch.Document
	ZoneUnknown      bool
	Validator        fetch.Validator
	Base             string
	NotModified      bool
	Entries          bool   // parsed from the bytes: replaying the dialogue yields them again
	Range            bool   // only a range was requested and received: from Offset on
	Selection        string // the requested part or search, such as "part 2" or "search ftp"; "" is the whole object
	LeftOut          bool   // the dialogue does not contain all bytes of the document
	Header           textproto.MIMEHeader
	Referrals        []fetch.Referral
}

// Kinds of an Outcome that are not error kinds.
const (
	kindWhole    = "whole"
	kindUnread   = "unread"
	kindCanceled = "canceled"
)

// setDocument copies the fields of the document.
func (o *Outcome) setDocument(d *fetch.Document) {
	o.Opened = true
	o.Type, o.TypeReason, o.Size, o.Offset, o.End, o.Modified = d.Type, d.TypeReason, d.Size, d.Offset, d.End, d.Modified
	o.Precision, o.ZoneUnknown = d.Precision, d.ZoneUnknown
	o.Status, o.Reason = d.Status, d.Reason
	o.Validator, o.NotModified, o.Header, o.Referrals = d.Validator, d.NotModified, d.Header, d.Referrals
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

// apply sets the fields of d to those of the outcome.
func (o *Outcome) apply(d *fetch.Document) {
	d.Type, d.TypeReason, d.Size, d.Offset, d.End, d.Modified = o.Type, o.TypeReason, o.Size, o.Offset, o.End, o.Modified
	d.Precision, d.ZoneUnknown = o.Precision, o.ZoneUnknown
	d.Status, d.Reason, d.Missing = o.Status, o.Reason, o.Missing
	d.Validator, d.NotModified, d.Referrals = o.Validator, o.NotModified, o.Referrals
	if o.Header != nil {
		d.Header = o.Header
	}
	if u, err := uri.Parse(o.Base); err == nil && u.IsAbs() {
		d.Base = u
	}
}
