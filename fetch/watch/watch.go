// Package watch tells whether documents have changed since it last looked, by the cheapest test that each protocol offers.
//
//	w := &watch.Watcher{Client: client, View: view}
//	r, err := w.Check(ctx, u, old) // old is the Record of the last check, or nil
//	if r.Verdict == watch.Changed { os.Stdout.Write(r.Diff) }
//
// These are the tests, in this order:
//
//   - a conditional request by the validator of the document: ETag and Last-Modified (http), MDTM and SIZE (ftp), the UID of a message (imap), the
//     time of a file
//   - the metadata of a listing: the article numbers of a newsgroup, UIDVALIDITY, UIDNEXT and MODSEQ of a mailbox
//   - otherwise the document is retrieved and compared
//
// A document that may have changed is retrieved. It has changed if its text view is different; a document without a text view, if its bytes are.
// So a page whose markup contains another number each time does not change until its text does.
package watch

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"io"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/diff"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// A Watcher checks documents. It is safe for concurrent use if its Client is.
type Watcher struct {
	Client  fetch.Getter
	Request *fetch.Options // of all checks; nil is the zero value

	// View writes the text view of a document. It returns fetch.ErrUnsupported, before it has written anything, if the document has none. A nil
	// View compares bytes only.
	View func(w io.Writer, d *fetch.Document) error
}

// A Record is what a check has found out, for the next one.
type Record struct {
	URI       string          `json:"uri"`                // without a password
	Checked   time.Time       `json:"checked,omitzero"`   // the last check that succeeded
	Changed   time.Time       `json:"changed,omitzero"`   // the last change that was found, or the first check
	Validator fetch.Validator `json:"validator,omitzero"` // of the document
	Listing   fetch.Validator `json:"listing,omitzero"`   // of the metadata, for documents without a validator
	SHA256    string          `json:"sha256"`             // of the text view, or of the bytes if there is none
	IsText    bool            `json:"is_text"`
	Text      string          `json:"text,omitempty"`   // the text view, if it is not too long
	Failed    fetch.Kind      `json:"failed,omitempty"` // the kind of the error of the last check, "" if it succeeded
}

// A Verdict is the result of a check.
type Verdict string

const (
	First   Verdict = "first"   // there was no Record to compare with
	Same    Verdict = "same"    // no change
	Changed Verdict = "changed" // the document is different
	Failed  Verdict = "failed"  // nothing is known
)

// A Result is the result of a check. With an error, the Verdict is Failed, and the Record is that of the last check, with Failed set.
type Result struct {
	Verdict Verdict
	Record  Record
	Diff    []byte // of the text views, in unified format; empty if a text is too long, missing, or the same
}

// maxText bounds the text views that are compared line by line.
const maxText = 1 << 20

// Check compares the document of u with the Record of the last check. A nil old is the first check.
func (w *Watcher) Check(ctx context.Context, u uri.URI, old *Record) (Result, error) {
	if old != nil && old.SHA256 == "" { // no check has succeeded
		old = nil
	}
	c := &check{Watcher: w, ctx: ctx, uri: u, old: old}
	r, err := c.run()
	if err != nil {
		r = Result{Verdict: Failed}
		if old != nil {
			r.Record = *old
		}
		r.Record.URI, r.Record.Failed = u.Redacted(nil), fetch.KindOf(err)
	}
	return r, err
}

// A check is one check of one document.
type check struct {
	*Watcher
	ctx context.Context
	uri uri.URI
	old *Record
}

// same returns the Result for a document that has not changed.
func (c *check) same() Result {
	r := Result{Verdict: Same, Record: *c.old}
	r.Record.Checked, r.Record.Failed = time.Now(), ""
	return r
}

func (c *check) run() (Result, error) {
	listing, err := c.listing()
	if err != nil {
		return Result{}, err
	}
	if c.old != nil && !listing.IsZero() && listing == c.old.Listing {
		return c.same(), nil
	}
	o := c.Request.Clone()
	if c.old != nil {
		o.IfChanged = c.old.Validator
	}
	d, err := c.Client.Get(c.ctx, c.uri, o)
	if d != nil {
		defer d.Body.Close()
	}
	switch {
	case err != nil:
		return Result{}, err
	case c.old != nil && (d.NotModified || d.Validator.Exact() && d.Validator.Same(c.old.Validator)):
		return c.same(), nil
	}
	r, err := c.read(d)
	r.Record.Listing = listing
	return r, err
}

// listing requests the metadata of a document that had no validator the last time, if the protocol has them. It is requested before the document:
// a change in between is found by the next check.
func (c *check) listing() (fetch.Validator, error) {
	if c.old != nil && (!c.old.Validator.IsZero() || c.old.Listing.IsZero()) {
		return fetch.Validator{}, nil
	}
	o := c.Request.Clone()
	p, err := c.Client.Plan(c.uri, o)
	if err != nil || p.Shape != fetch.ShapeListing {
		return fetch.Validator{}, err
	}
	o.Op = fetch.Metadata
	if _, err := c.Client.Plan(c.uri, o); err != nil {
		return fetch.Validator{}, nil // the protocol has no metadata
	}
	d, err := c.Client.Get(c.ctx, c.uri, o)
	if d != nil {
		defer d.Body.Close()
	}
	if err != nil {
		return fetch.Validator{}, err
	}
	return d.Validator, nil
}

// read retrieves the document and compares it.
func (c *check) read(d *fetch.Document) (Result, error) {
	now := Record{URI: c.uri.Redacted(nil), Checked: time.Now(), Validator: d.Validator}
	if err := c.digest(d, &now); err != nil {
		return Result{}, err
	}
	r := Result{Verdict: First, Record: now}
	switch {
	case c.old == nil:
		r.Record.Changed = now.Checked
	case c.old.SHA256 == now.SHA256 && c.old.IsText == now.IsText:
		r.Verdict, r.Record.Changed = Same, c.old.Changed
	default:
		r.Verdict, r.Record.Changed = Changed, now.Checked
		if c.old.Text != "" && now.Text != "" {
			at := func(t time.Time) string { return now.URI + "\t" + t.UTC().Format(time.RFC3339) }
			d := diff.Diff(at(c.old.Checked), []byte(c.old.Text), at(now.Checked), []byte(now.Text))
			_, r.Diff, _ = bytes.Cut(d, []byte("\n")) // without the line "diff"
		}
	}
	return r, nil
}

// digest reads the document to its end. It sets the digest and the text of the Record.
func (c *check) digest(d *fetch.Document, now *Record) (err error) {
	sum := sha256.New()
	d.Body = fetch.NewBody(io.TeeReader(d.Body, sum), d.Body.Close)
	view := &limited{hash: sha256.New()}
	err = fetch.ErrUnsupported
	if c.View != nil {
		err = c.View(view, d)
	}
	switch {
	case err == nil:
		now.IsText, now.SHA256 = true, hex.EncodeToString(view.hash.Sum(nil))
		if !view.cut {
			now.Text = view.text.String()
		}
		return nil
	case fetch.KindOf(err) != fetch.ErrUnsupported || view.some:
		return err
	}
	if _, err := io.Copy(io.Discard, d.Body); err != nil {
		return err
	}
	now.SHA256 = hex.EncodeToString(sum.Sum(nil))
	return nil
}

// limited keeps what is written, unless it becomes longer than maxText.
type limited struct {
	hash hash.Hash
	text strings.Builder
	some bool
	cut  bool
}

func (l *limited) Write(p []byte) (int, error) {
	l.hash.Write(p)
	l.some = l.some || len(p) > 0
	if l.cut = l.cut || l.text.Len()+len(p) > maxText; l.cut {
		l.text.Reset()
	} else {
		l.text.Write(p)
	}
	return len(p), nil
}
