package warc

import (
	"bytes"
	"context"
	"io"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/fetch/mediatype"
	"example.org/deref/uri"
)

// answer returns the message of a response record. For a revisit it consists of the revisit's own head and the payload of the original
// record.
func (a *Archive) answer(r *opened, at recordRef) (io.Reader, error) {
	if at.kind == refResponse {
		return repaired(r.Record)
	}
	own, err := io.ReadAll(io.LimitReader(r.Block, maxHead))
	if err != nil {
		return nil, err
	}
	head, payload, err := a.referred(r, at)
	if err != nil {
		return nil, err
	}
	switch _, status := statusLine(own); {
	case len(own) > 0 && status != 304: // a 304 only confirms the payload that the client had
		head = own
	case len(head) == 0:
		head = []byte("HTTP/1.1 200 OK\r\n\r\n")
	}
	return io.MultiReader(bytes.NewReader(unframed(head)), payload), nil
}

// payload returns the payload in a record without its transfer coding, or that of the record to which a revisit refers, and the head of the
// message that contains it, if there is one.
func (a *Archive) payload(r *opened, at recordRef) (head []byte, payload io.Reader, err error) {
	if at.kind == refRevisit {
		return a.referred(r, at)
	}
	head, body, err := splitMessage(r.Record)
	if err != nil {
		return nil, nil, err
	}
	return head, unchunked(head, body), nil
}

// referred opens the record that a revisit refers to.
func (a *Archive) referred(r *opened, at recordRef) (head []byte, payload io.Reader, err error) {
	first, err := a.referredBy(r.Record, at)
	if err == nil {
		err = a.verify(first)
	}
	if err != nil {
		return nil, nil, err
	}
	if r.original, err = a.open(first); err != nil {
		return nil, nil, err
	}
	return a.payload(r.original, first)
}

// referredBy finds the record that a revisit refers to.
func (a *Archive) referredBy(r *Record, at recordRef) (recordRef, error) {
	first, ok := a.original(r, at)
	if !ok {
		return first, fetch.Errorf(fetch.ErrNotFound, "the archive lacks the record to which its capture of %s refers", r.Target())
	}
	return first, nil
}

// outcomeDocument returns the result of a dialogue without an object: its referrals or its error.
func (h *replayer) outcomeDocument(r *opened) (*fetch.Document, error) {
	o := readOutcome(r.Block)
	if !o.Opened {
		return nil, o.failure()
	}
	d := o.document(io.NopCloser(bytes.NewReader(nil)))
	d.Size = 0
	return d, nil
}

// document returns a document of a protocol without messages of its own.
func (h *replayer) document(ctx context.Context, p *fetch.Plan, env *fetch.Env, r *opened, at recordRef) (*fetch.Document, error) {
	a := h.archive
	o := &Outcome{Kind: kindWhole, Opened: true, Document: noDocument()}
	o.Type, o.TypeReason = r.MediaType(), "the archive"
	if at.truncated {
		o.Kind = string(fetch.ErrTruncated)
	}
	own, err := a.outcomeOf(at)
	if err != nil {
		return nil, err
	}
	if own != nil {
		o = own
	}
	if o.NotModified = o.NotModified && at.confirmed; o.NotModified { // the outcome of the unchanged document is that of its own capture
		if first, ok := h.confirmedBy(r.Record, p.URI, at); ok {
			if err := a.verify(first); err != nil {
				return nil, err
			}
			return h.from(ctx, p, env, first)
		}
	}
	if at.kind == refRevisit && len(o.Header) == 0 && o.Type == messageType { // it was written without them: see hasHeaderInPayload
		h.ofOriginal(p.URI, at, func(first recordRef) bool {
			if own, _ := a.outcomeOf(first); own != nil {
				o.Header = own.Header
			}
			return len(o.Header) > 0
		})
	}
	payload, err := h.payload(ctx, p, env, r, at, o)
	if err != nil {
		return nil, err
	}
	d := o.document(&rest{payload, o})
	h.list(d, p, at, o.Entries)
	if o.Range || o.Offset > 0 {
		err = cutRangeWithin(d, p.Options, r.Size)
	} else {
		err = cutRange(d, p.Options)
	}
	if err != nil {
		d.Body.Close()
		return nil, err
	}
	return d, nil
}

// confirmedBy returns the capture that a revisit at p confirms: another one of the same URI and payload, or the record that it refers to.
func (h *replayer) confirmedBy(r *Record, u uri.URI, p recordRef) (found recordRef, ok bool) {
	key := h.archive.key(target(u))
	all, err := h.archive.candidates(u, r.Date())
	if err != nil {
		return found, false
	}
	for _, q := range all {
		if q.kind == refDialogue || p.digest != "" && !strings.EqualFold(q.digest, p.digest) || p.digest == "" && q.date > p.date {
			continue
		}
		if q, err = h.archive.settle(q, key); err == nil && !q.confirmed && q.rank() == 3 && q.selection == p.selection {
			return q, true
		}
	}
	if found, ok = h.archive.original(r, p); !ok {
		return found, false
	}
	found, err = h.archive.settle(found, h.archive.key(unbracket(r.Fields.Get("WARC-Refers-To-Target-URI"))))
	return found, err == nil && !found.confirmed // or a revisit could confirm itself without end
}

// payload returns the payload of a record, and corrects o where the record is more accurate.
func (h *replayer) payload(ctx context.Context, p *fetch.Plan, env *fetch.Env, r *opened, at recordRef, o *Outcome) (io.ReadCloser, error) {
	head, payload, err := h.archive.payload(r, at)
	if err != nil {
		return nil, err
	}
	if at.kind == refResource && o.Offset == 0 && !o.Range {
		o.Size = r.Size
	}
	if head == nil || at.kind != refResponse {
		return io.NopCloser(payload), nil
	}
	o.Type, o.TypeReason = mediatype.Essence(fields(head).Get("Content-Type")), "Content-Type" // it was fetched through a proxy
	if http, ok := h.archive.list.Lookup("http"); ok && at.status == 200 && fields(head).Get("Content-Encoding") != "" {
		d, err := h.play(ctx, env, http, uri.MustParse("http://proxied.invalid/"), &fetch.Options{Set: at.settings(p.Options)}, at)
		if err != nil {
			return nil, err
		}
		return d.Body, nil
	}
	return io.NopCloser(payload), nil
}

// ofOriginal calls use for the captures of u with the payload of the revisit at p until it returns true.
func (h *replayer) ofOriginal(u uri.URI, at recordRef, use func(recordRef) bool) {
	key := h.archive.key(target(u))
	all, _ := h.archive.refs(key)
	for _, p := range all {
		if at.digest == "" || !strings.EqualFold(p.digest, at.digest) {
			continue
		}
		if p, err := h.archive.settle(p, key); err == nil && use(p) {
			return
		}
	}
}

// list gives d the captured entries. A listing without any has no record of them.
func (h *replayer) list(d *fetch.Document, p *fetch.Plan, at recordRef, isListing bool) {
	if d.Type == fetch.ListingType {
		d.ListWith(fetch.ReadListing)
		return
	}
	q := at.listing
	if q == nil && at.kind == refRevisit { // entries do not depend on anything but the payload
		h.ofOriginal(p.URI, at, func(first recordRef) bool {
			q = first.listing
			return q != nil
		})
	}
	if q == nil {
		if isListing {
			d.Entries = func(func(fetch.Entry, error) bool) {}
		}
		return
	}
	d.Entries = func(yield func(fetch.Entry, error) bool) {
		r, err := h.archive.open(*q)
		if err != nil {
			yield(fetch.Entry{}, err)
			return
		}
		defer r.Close()
		for e, err := range fetch.ReadListing(r.Block) {
			if !yield(e, err) {
				return
			}
		}
	}
}
