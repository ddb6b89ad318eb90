package warc

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/textproto"
	"slices"
	"strconv"
	"strings"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// An Outcome is what came of a dereferencing in a protocol other than HTTP, or of one that failed: the comments at the head of its
// conversation.
type Outcome struct {
	URI    string
	Kind   string // "whole", "unread", "canceled", or the Kind of the error
	Error  string
	Opened bool // there was a document

	Type, TypeReason string
	Size, Offset     int64
	End              fetch.End
	Status           int
	Reason           string
	Gaps             int64
	Modified         time.Time
	Validator        fetch.Validator
	Base             string
	NotModified      bool
	Entries          bool   // parsed from the octets: a player of the conversation gives them again
	Range            bool   // only a stretch was asked for, and came: from Offset on
	Asked            string // "part 2", "search ftp": what of the object was asked for; "" all
	LeftOut          bool   // the conversation does not hold all octets of the document
	Header           textproto.MIMEHeader
	Referrals        []fetch.Referral
}

// Kinds of an Outcome that are no error's.
const (
	kindWhole    = "whole"
	kindUnread   = "unread"
	kindCanceled = "canceled"
)

// note takes what Run says of the document.
func (o *Outcome) note(d *fetch.Document) {
	o.Opened = true
	o.Type, o.TypeReason, o.Size, o.Offset, o.End, o.Modified = d.Type, d.TypeReason, d.Size, d.Offset, d.End, d.Modified
	o.Status, o.Reason = d.Status, d.Reason
	o.Validator, o.NotModified, o.Header, o.Referrals = d.Validator, d.NotModified, d.Header, d.Referrals
	if !d.Base.IsZero() && d.Base.String() != o.URI {
		o.Base = d.Base.String()
	}
	o.Entries = d.Entries != nil && d.Type != fetch.ListingType
}

// ended takes how it ended.
func (o *Outcome) ended(err error) {
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

// isObject reports whether there is a document besides where it leads.
func (o *Outcome) isObject() bool { return o.Opened && len(o.Referrals) == 0 && !o.NotModified }

// reason is the word of WARC-Truncated for how a document ended (ISO 28500:2017 section 5.13), "" if it is whole.
func (o *Outcome) reason() string {
	switch fetch.Kind(o.Kind) {
	case kindWhole, fetch.ErrInteractive: // of a session the first screen is all that there is
		if o.Offset == 0 && !o.Range && !strings.HasPrefix(o.Asked, "part ") {
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

// String writes the comments as ParseOutcome reads them.
func (o *Outcome) String() string { return string(o.comments()) }

// comments are the lines at the head of the conversation.
func (o *Outcome) comments() []byte {
	var b []byte
	say := func(name, value string) {
		if value != "" {
			b = fmt.Appendf(b, "# %s: %s\n", name, oneLine(value))
		}
	}
	say("uri", o.URI)
	say("asked", o.Asked)
	say("outcome", o.Kind)
	say("error", o.Error)
	if !o.Opened {
		return b
	}
	say("document", "yes")
	say("type", o.Type)
	say("type-reason", o.TypeReason)
	say("size", number(o.Size))
	if o.Offset > 0 {
		say("offset", number(o.Offset))
	}
	say("range", yes(o.Range))
	say("end", string(o.End))
	if o.Status > 0 {
		say("status", strings.TrimSpace(number(int64(o.Status))+" "+o.Reason))
	}
	if o.Gaps > 0 {
		say("gaps", number(o.Gaps))
	}
	if !o.Modified.IsZero() {
		say("modified", o.Modified.UTC().Format(time.RFC3339))
	}
	say("validator-tag", o.Validator.Tag)
	say("validator-modified", o.Validator.Modified)
	say("validator-size", number(o.Validator.Size))
	say("base", o.Base)
	say("not-modified", yes(o.NotModified))
	say("entries", yes(o.Entries))
	say("left-out", yes(o.LeftOut))
	for _, name := range slices.Sorted(maps.Keys(o.Header)) {
		for _, v := range o.Header[name] {
			say("field", name+": "+v)
		}
	}
	for _, r := range o.Referrals {
		name := "leads-to"
		if r.Own {
			name = "leads-to-own"
		}
		say(name, r.URI.Redacted(nil)+" "+r.Reason)
	}
	return b
}

func yes(b bool) string {
	if b {
		return "yes"
	}
	return ""
}

func number(n int64) string {
	if n < 0 {
		return ""
	}
	return strconv.FormatInt(n, 10)
}

// ParseOutcome reads the comments at the head of a conversation. It takes no offence at lines that it does not know.
func ParseOutcome(text string) *Outcome {
	o := &Outcome{Size: -1, Validator: fetch.Validator{Size: -1}, Header: textproto.MIMEHeader{}}
	for line := range strings.Lines(text) {
		line, ok := strings.CutPrefix(strings.TrimRight(line, "\r\n"), "# ")
		if !ok {
			break
		}
		if name, value, ok := strings.Cut(line, ": "); ok {
			o.set(name, value)
		}
	}
	return o
}

// set takes one comment.
func (o *Outcome) set(name, value string) {
	n, err := strconv.ParseInt(value, 10, 64)
	if err != nil {
		n = -1
	}
	switch name {
	case "uri":
		o.URI = value
	case "asked":
		o.Asked = value
	case "outcome":
		o.Kind = value
	case "error":
		o.Error = value
	case "document":
		o.Opened = true
	case "type":
		o.Type = value
	case "type-reason":
		o.TypeReason = value
	case "size":
		o.Size = n
	case "offset":
		o.Offset = max(n, 0)
	case "range":
		o.Range = true
	case "status":
		code, reason, _ := strings.Cut(value, " ")
		o.Status, _ = strconv.Atoi(code)
		o.Reason = reason
	case "gaps":
		o.Gaps = max(n, 0)
	case "end":
		o.End = fetch.End(value)
	case "modified":
		o.Modified, _ = time.Parse(time.RFC3339, value)
	case "validator-tag":
		o.Validator.Tag = value
	case "validator-modified":
		o.Validator.Modified = value
	case "validator-size":
		o.Validator.Size = n
	case "base":
		o.Base = value
	case "not-modified":
		o.NotModified = true
	case "entries":
		o.Entries = true
	case "left-out":
		o.LeftOut = true
	case "field":
		if k, v, ok := strings.Cut(value, ": "); ok {
			o.Header[k] = append(o.Header[k], v)
		}
	case "leads-to", "leads-to-own":
		to, reason, _ := strings.Cut(value, " ")
		if u, err := uri.Parse(to); err == nil {
			o.Referrals = append(o.Referrals, fetch.Referral{URI: u, Reason: reason, Own: name == "leads-to-own"})
		}
	}
}

// readOutcome reads the head of a conversation.
func readOutcome(r io.Reader) *Outcome {
	in := bufio.NewReader(io.LimitReader(r, maxHeader))
	var head strings.Builder
	for {
		line, err := in.ReadString('\n')
		if !strings.HasPrefix(line, "#") {
			break
		}
		head.WriteString(line)
		if err != nil {
			break
		}
	}
	return ParseOutcome(head.String())
}

// failure is the error that the dereferencing ended in.
func (o *Outcome) failure() error {
	switch o.Kind {
	case kindUnread, kindCanceled:
		return fetch.Errorf(fetch.ErrTruncated, "the capture was given up before the end")
	}
	k := fetch.Kind(o.Kind)
	if k == "" || len(k) > 20 || strings.ContainsFunc(o.Kind, func(c rune) bool { return c != '-' && (c < 'a' || c > 'z') }) {
		k = fetch.ErrProtocol
	}
	return fetch.Errorf(k, "%s", cmp.Or(o.Error, "the capture failed"))
}

// dress gives d what was known of the document.
func (o *Outcome) dress(d *fetch.Document) {
	d.Type, d.TypeReason, d.Size, d.Offset, d.End, d.Modified = o.Type, o.TypeReason, o.Size, o.Offset, o.End, o.Modified
	d.Status, d.Reason, d.Missing = o.Status, o.Reason, o.Gaps
	d.Validator, d.NotModified, d.Referrals = o.Validator, o.NotModified, o.Referrals
	if o.Header != nil {
		d.Header = o.Header
	}
	if u, err := uri.Parse(o.Base); err == nil && u.IsAbs() {
		d.Base = u
	}
}
