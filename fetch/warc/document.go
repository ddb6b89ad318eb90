package warc

import (
	"bytes"
	"context"
	"io"

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
	payload, head, err := a.referred(r, at)
	if err != nil {
		return nil, err
	}
	switch {
	case len(own) > 0 && statusOf(own) != 304: // a 304 only confirms the payload that the client had
		head = own
	case len(head) == 0:
		head = []byte("HTTP/1.1 200 OK\r\n\r\n")
	}
	return io.MultiReader(bytes.NewReader(unframed(head)), payload), nil
}

// referred opens the record that a revisit refers to.
func (a *Archive) referred(r *opened, at recordRef) (payload io.Reader, head []byte, err error) {
	first, ok := a.original(r.Record, at)
	if !ok {
		return nil, nil, fetch.Errorf(fetch.ErrNotFound, "the archive lacks the record to which its capture of %s refers", r.Target())
	}
	if err := a.verify(first); err != nil {
		return nil, nil, err
	}
	o, err := a.open(first)
	if err != nil {
		return nil, nil, err
	}
	r.files = append(r.files, o.files...)
	if head, payload, err = splitMessage(o.Record); err == nil {
		payload = unchunked(head, payload)
	}
	return payload, head, err
}

// outcomeDocument returns the result of a dialogue without an object: its referrals or its error.
func (h *replayer) outcomeDocument(r *opened) (*fetch.Document, error) {
	o := readOutcome(r.Block)
	if !o.Opened {
		return nil, o.failure()
	}
	d := fetch.NewDocument(io.NopCloser(bytes.NewReader(nil)))
	o.apply(d)
	d.Size = 0
	return d, nil
}

// document returns a document of a protocol without messages of its own.
func (h *replayer) document(ctx context.Context, p *fetch.Plan, env *fetch.Env, r *opened, at recordRef) (*fetch.Document, error) {
	a := h.archive
	o := &Outcome{Kind: kindWhole, Opened: true, Type: r.MediaType(), TypeReason: "the archive", Size: -1,
		Validator: fetch.Validator{Size: -1}}
	if at.truncated {
		o.Kind = string(fetch.ErrTruncated)
	}
	if q, ok := a.sibling(p.URI, at, refDialogue); ok {
		t, err := a.open(q)
		if err != nil {
			return nil, err
		}
		o = readOutcome(t.Block)
		t.Close()
	}
	if o.NotModified { // the outcome of the unchanged document is that of its own capture
		if first, ok := a.original(r.Record, at); ok {
			return h.unchanged(ctx, p, env, first)
		}
	}
	payload, err := h.payload(ctx, p, env, r, at, o)
	if err != nil {
		return nil, err
	}
	d := fetch.NewDocument(&rest{payload, o})
	o.apply(d)
	h.list(d, p, at)
	if o.Range || o.Offset > 0 {
		return d, cutRangeWithin(d, p.Options, r.Size)
	}
	return d, cutRange(d, p.Options)
}

// unchanged returns the document at first, to which a revisit refers.
func (h *replayer) unchanged(ctx context.Context, p *fetch.Plan, env *fetch.Env, first recordRef) (*fetch.Document, error) {
	if first.unsettled {
		var err error
		if first, err = h.archive.settle(first, h.archive.key(target(p.URI))); err != nil {
			return nil, err
		}
	}
	if err := h.archive.verify(first); err != nil {
		return nil, err
	}
	to, err := h.archive.open(first)
	if err != nil {
		return nil, err
	}
	d, err := h.document(ctx, p, env, to, first)
	if err != nil {
		to.Close()
		return nil, err
	}
	d.Body = alsoClosing(d.Body, to.Close)
	return d, nil
}

// payload returns the payload of a record, and corrects o where the record is more accurate.
func (h *replayer) payload(ctx context.Context, p *fetch.Plan, env *fetch.Env, r *opened, at recordRef, o *Outcome) (io.ReadCloser, error) {
	var head []byte
	var payload io.Reader
	var err error
	if at.kind == refRevisit {
		payload, head, err = h.archive.referred(r, at)
	} else if head, payload, err = splitMessage(r.Record); err == nil {
		payload = unchunked(head, payload)
	}
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

// list gives d the captured entries.
func (h *replayer) list(d *fetch.Document, p *fetch.Plan, at recordRef) {
	if d.Type == fetch.ListingType {
		d.ListWith(fetch.ReadListing)
		return
	}
	q, ok := h.archive.sibling(p.URI, at, refListing)
	if !ok {
		return
	}
	d.Entries = func(yield func(fetch.Entry, error) bool) {
		r, err := h.archive.open(q)
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
