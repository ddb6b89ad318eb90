package warc

import (
	"bytes"
	"cmp"
	"context"
	"io"
	"net"

	"example.org/deref/fetch"
	"example.org/deref/fetch/mediatype"
	"example.org/deref/uri"
)

// Schemes returns the Archive's schemes with handlers that answer from it, and contact nobody: every URI that was captured gives the
// document, the referrals or the error that it gave then. What was not captured is ErrNotFound.
//
//	c := fetch.New(archive.Schemes()...)
func (a *Archive) Schemes() []fetch.Scheme {
	list := make([]fetch.Scheme, len(a.list))
	for i, s := range a.list {
		list[i] = s
		list[i].Plan = (&answerer{a, s}).Plan
	}
	return list
}

// An answerer is the handler of one scheme.
type answerer struct {
	archive *Archive
	scheme  fetch.Scheme
}

// Plan has no steps: nobody is asked.
func (h *answerer) Plan(u uri.URI, o *fetch.Options) (*fetch.Plan, error) {
	if o.Op != fetch.Retrieve && o.Op != fetch.Metadata {
		return nil, fetch.Errorf(fetch.ErrUnsupported, "an archive has documents only")
	}
	object := h.object(u, o)
	return &fetch.Plan{URI: u, Shape: fetch.ShapeDocument, Run: func(ctx context.Context, p *fetch.Plan, env *fetch.Env) (*fetch.Document, error) {
		return h.run(ctx, p, env, object)
	}}, nil
}

// run answers from the archive: from the best record of the object u whose digests are right.
func (h *answerer) run(ctx context.Context, p *fetch.Plan, env *fetch.Env, u uri.URI) (*fetch.Document, error) {
	part := asked(p.URI, p.Options)
	all := h.archive.best(u, part)
	switch {
	case len(all) == 0 && part != "":
		return nil, fetch.Errorf(fetch.ErrNotFound, "the archive has no capture of %s that was asked for so (%s)", u, part)
	case len(all) == 0:
		return nil, fetch.Errorf(fetch.ErrNotFound, "the archive has no capture of %s", u)
	}
	var first error
	for _, at := range all {
		err := h.archive.verify(at)
		if err == nil {
			return h.from(ctx, p, env, at)
		}
		first = cmp.Or(first, err)
	}
	return nil, first
}

// from answers from one record.
func (h *answerer) from(ctx context.Context, p *fetch.Plan, env *fetch.Env, at place) (*fetch.Document, error) {
	if at.kind != isTalk && at.kind != isResource && h.speaksHTTP() {
		return h.replay(ctx, p, env, at)
	}
	r, err := h.archive.open(at)
	if err != nil {
		return nil, err
	}
	var d *fetch.Document
	if at.kind == isTalk {
		d, err = h.told(r)
	} else {
		d, err = h.document(ctx, p, env, r, at)
	}
	if err != nil {
		r.Close()
		return nil, err
	}
	d.Body = alsoClosing(d.Body, r.Close)
	return d, nil
}

// alsoClosing returns a Body that runs end after closing body.
func alsoClosing(body io.ReadCloser, end func()) io.ReadCloser {
	return fetch.NewBody(body, func() error {
		defer end()
		return body.Close()
	})
}

func (h *answerer) speaksHTTP() bool { return h.scheme.Name() == "http" || h.scheme.Name() == "https" }

// replay lets the scheme's own handler read the answer as it came from the server.
func (h *answerer) replay(ctx context.Context, p *fetch.Plan, env *fetch.Env, at place) (*fetch.Document, error) {
	o := *p.Options
	o.Set, o.Login = at.settings(p.Options), fetch.Login{} // which must not answer a captured 401
	isPart := at.status == 206
	switch {
	case isPart && o.Range.IsZero() && o.Op == fetch.Retrieve:
		return nil, fetch.Errorf(fetch.ErrRange, "the archive has only a part of %s", p.URI)
	case !isPart:
		o.Range, o.IfSame = fetch.Range{}, fetch.Validator{}
	}
	d, err := h.play(ctx, env, h.scheme, p.URI, &o, at)
	if err != nil || isPart {
		return d, err
	}
	if o := p.Options; d.Size < 0 && !o.Range.IsZero() && o.Op == fetch.Retrieve {
		n, err := io.Copy(io.Discard, d.Body) // only that tells which octets are wanted
		d.Body.Close()
		if err != nil {
			return nil, err
		}
		if d, err = h.play(ctx, env, h.scheme, p.URI, &fetch.Options{Op: o.Op, Set: at.settings(o), Mode: o.Mode}, at); err != nil {
			return nil, err
		}
		d.Size = n
	}
	if err := cutOut(d, p.Options); err != nil {
		d.Body.Close()
		return nil, err
	}
	return d, nil
}

// setCompressed is the setting of http that undoes content codings.
const setCompressed = "http.compressed"

// settings are those that the answer is read with. A coding that the captured request asked for is undone: who asks without it now would get
// the document without it. One that nobody asked for stays, as it does on the network, unless it is to be undone now.
func (p place) settings(o *fetch.Options) map[string][]string {
	switch own := o.Set[setCompressed]; {
	case len(own) > 0:
		return map[string][]string{setCompressed: own}
	case p.plain:
		return nil
	}
	return map[string][]string{setCompressed: {"1"}}
}

// play dereferences u where the connection gives the record's answer.
func (h *answerer) play(ctx context.Context, env *fetch.Env, s fetch.Scheme, u uri.URI, o *fetch.Options, at place) (*fetch.Document, error) {
	r, err := h.archive.open(at)
	if err != nil {
		return nil, err
	}
	answer, err := h.archive.answer(r, at)
	if err != nil {
		r.Close()
		return nil, err
	}
	cut := at.short && at.kind == isResponse // a revisit's payload is another record's
	c := fetch.New(s)
	c.Limits, c.Timeouts = env.Limits(), env.Timeouts()
	c.Policy = fetch.Policy{NoFollow: true, AllowPorts: portOf(u)}
	c.Dialer = func(context.Context, string, string) (net.Conn, error) { return &playback{answer, cut}, nil }
	d, err := c.Get(ctx, u, o)
	if err != nil {
		c.Close()
		r.Close()
		return nil, err
	}
	d.Body = alsoClosing(d.Body, func() { c.Close(); r.Close() })
	return d, nil
}

// answer is the message of a response record. That of a revisit is its own head, and the payload that it refers to.
func (a *Archive) answer(r *opened, at place) (io.Reader, error) {
	if at.kind == isResponse {
		return mended(r.Record)
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
	case len(own) > 0 && statusOf(own) != 304: // which is about the payload that the client had
		head = own
	case len(head) == 0:
		head = []byte("HTTP/1.1 200 OK\r\n\r\n")
	}
	return io.MultiReader(bytes.NewReader(unframed(head)), payload), nil
}

// referred opens the record that a revisit refers to.
func (a *Archive) referred(r *opened, at place) (payload io.Reader, head []byte, err error) {
	first, ok := a.original(r.Record, at)
	if !ok {
		return nil, nil, fetch.Errorf(fetch.ErrNotFound, "the archive has not the record that its capture of %s refers to", r.Target())
	}
	if err := a.verify(first); err != nil {
		return nil, nil, err
	}
	o, err := a.open(first)
	if err != nil {
		return nil, nil, err
	}
	r.files = append(r.files, o.files...)
	if head, payload, err = divide(o.Record); err == nil {
		payload = decoded(head, payload)
	}
	return payload, head, err
}

// told is what a conversation without an object says: where it leads, or why there is none.
func (h *answerer) told(r *opened) (*fetch.Document, error) {
	o := readOutcome(r.Block)
	if !o.Opened {
		return nil, o.failure()
	}
	d := fetch.NewDocument(io.NopCloser(bytes.NewReader(nil)))
	o.dress(d)
	d.Size = 0
	return d, nil
}

// document is a document of a protocol without messages of its own.
func (h *answerer) document(ctx context.Context, p *fetch.Plan, env *fetch.Env, r *opened, at place) (*fetch.Document, error) {
	a := h.archive
	o := &Outcome{Kind: kindWhole, Opened: true, Type: r.MediaType(), TypeReason: "the archive", Size: -1, Validator: fetch.Validator{Size: -1}}
	if at.short {
		o.Kind = string(fetch.ErrTruncated)
	}
	if q, ok := a.beside(p.URI, at, isTalk); ok {
		t, err := a.open(q)
		if err != nil {
			return nil, err
		}
		o = readOutcome(t.Block)
		t.Close()
	}
	payload, err := h.payload(ctx, p, env, r, at, o)
	if err != nil {
		return nil, err
	}
	d := fetch.NewDocument(&rest{payload, o})
	o.dress(d)
	h.list(d, p, at)
	if o.Range || o.Offset > 0 {
		return d, cutWithin(d, p.Options, r.Size)
	}
	return d, cutOut(d, p.Options)
}

// payload is that of a record; o gets what the record knows better.
func (h *answerer) payload(ctx context.Context, p *fetch.Plan, env *fetch.Env, r *opened, at place, o *Outcome) (io.ReadCloser, error) {
	var head []byte
	var payload io.Reader
	var err error
	if at.kind == isRevisit {
		payload, head, err = h.archive.referred(r, at)
	} else if head, payload, err = divide(r.Record); err == nil {
		payload = decoded(head, payload)
	}
	if err != nil {
		return nil, err
	}
	if at.kind == isResource && o.Offset == 0 && !o.Range {
		o.Size = r.Size
	}
	if head == nil || at.kind != isResponse {
		return io.NopCloser(payload), nil
	}
	o.Type, o.TypeReason = mediatype.Essence(fields(head).Get("Content-Type")), "Content-Type" // it came through a proxy
	if http, ok := h.archive.list.Lookup("http"); ok && at.status == 200 && fields(head).Get("Content-Encoding") != "" {
		d, err := h.play(ctx, env, http, uri.MustParse("http://proxied.invalid/"), &fetch.Options{Set: at.settings(p.Options)}, at)
		if err != nil {
			return nil, err
		}
		return d.Body, nil
	}
	return io.NopCloser(payload), nil
}

// list gives d the entries that were taken down.
func (h *answerer) list(d *fetch.Document, p *fetch.Plan, at place) {
	if d.Type == fetch.ListingType {
		d.ListWith(fetch.ReadListing)
		return
	}
	q, ok := h.archive.beside(p.URI, at, isListing)
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
