package warc

import (
	"context"
	"fmt"
	"io"
	"net"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// Schemes returns the Archive's schemes, made to answer from the archive without contacting any server. Every captured URI yields the
// document, the referrals or the error that it yielded then. A URI that was not captured yields ErrNotFound.
//
//	c := fetch.New(archive.Schemes()...)
func (a *Archive) Schemes() []fetch.Scheme {
	list := make([]fetch.Scheme, len(a.list))
	for i, s := range a.list {
		list[i] = s
		list[i].Plan = (&replayer{a, s}).Plan
	}
	return list
}

// A replayer plans and answers for one scheme.
type replayer struct {
	archive *Archive
	scheme  fetch.Scheme
}

// Plan returns a Plan without steps, since no server is contacted.
func (h *replayer) Plan(u uri.URI, o *fetch.Options) (*fetch.Plan, error) {
	if o.Op != fetch.Retrieve && o.Op != fetch.Metadata {
		return nil, fetch.Errorf(fetch.ErrUnsupported, "archives contain only documents")
	}
	object := h.requestedURI(u, o)
	return &fetch.Plan{URI: u, Shape: fetch.ShapeDocument, Run: func(ctx context.Context, p *fetch.Plan, env *fetch.Env) (*fetch.Document,
		error) {
		return h.run(ctx, p, env, object)
	}}, nil
}

// run answers from the best record of the object u whose digests are right.
func (h *replayer) run(ctx context.Context, p *fetch.Plan, env *fetch.Env, u uri.URI) (*fetch.Document, error) {
	m := momentIn(ctx)
	at, err := m.wanted(h.archive, u, selectionOf(p.URI, p.Options))
	if err != nil {
		return nil, err
	}
	m.set(h.archive, u, at)
	return h.from(ctx, p, env, at)
}

// A MissingError reports that an Archive has no capture of a URI.
type MissingError struct {
	URI  uri.URI
	Part string // the requested part or search; "" is the whole object
}

func (e *MissingError) Error() string {
	if e.Part != "" {
		return fmt.Sprintf("the archive has no capture of %s with %s", e.URI, e.Part)
	}
	return fmt.Sprintf("the archive has no capture of %s", e.URI)
}

// from answers from one record.
func (h *replayer) from(ctx context.Context, p *fetch.Plan, env *fetch.Env, at recordRef) (*fetch.Document, error) {
	if at.kind != refDialogue && at.kind != refResource && h.speaksHTTP() {
		return h.replay(ctx, p, env, at)
	}
	r, err := h.archive.open(at)
	if err != nil {
		return nil, err
	}
	var d *fetch.Document
	if at.kind == refDialogue {
		d, err = h.outcomeDocument(r)
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

func (h *replayer) speaksHTTP() bool { return h.scheme.Name() == "http" || h.scheme.Name() == "https" }

// replay lets the scheme itself read the captured response.
func (h *replayer) replay(ctx context.Context, p *fetch.Plan, env *fetch.Env, at recordRef) (*fetch.Document, error) {
	o := *p.Options
	o.Set, o.Login = at.settings(p.Options), fetch.Login{} // no login: it must not answer a captured 401
	isPart := at.status == 206
	switch {
	case isPart && o.Range.IsZero() && o.Op == fetch.Retrieve:
		return nil, fetch.Errorf(fetch.ErrRange, "the archive contains only a part of %s", p.URI)
	case !isPart:
		o.Range, o.IfSame = fetch.Range{}, fetch.Validator{}
	}
	d, err := h.play(ctx, env, h.scheme, p.URI, &o, at)
	if err != nil || isPart {
		return d, err
	}
	if o := p.Options; d.Size < 0 && !o.Range.IsZero() && o.Op == fetch.Retrieve {
		n, err := io.Copy(io.Discard, d.Body) // the range can be computed only from the size
		d.Body.Close()
		if err != nil {
			return nil, err
		}
		if d, err = h.play(ctx, env, h.scheme, p.URI, &fetch.Options{Op: o.Op, Set: at.settings(o), Mode: o.Mode}, at); err != nil {
			return nil, err
		}
		d.Size = n
	}
	if err := cutRange(d, p.Options); err != nil {
		d.Body.Close()
		return nil, err
	}
	return d, nil
}

// setCompressed is the setting of http that undoes content codings.
const setCompressed = "http.compressed"

// settings returns the settings that the response is read with. A content coding that the captured request accepted is decoded, since a
// request that accepts none now would get the document without it. A coding that the request did not accept stays, as it does on the
// network, unless it is to be decoded now.
func (p recordRef) settings(o *fetch.Options) map[string][]string {
	switch own := o.Set[setCompressed]; {
	case len(own) > 0:
		return map[string][]string{setCompressed: own}
	case p.plain:
		return nil
	}
	return map[string][]string{setCompressed: {"1"}}
}

// play dereferences u over a connection that yields the record's response.
func (h *replayer) play(ctx context.Context, env *fetch.Env, s fetch.Scheme, u uri.URI, o *fetch.Options, at recordRef) (*fetch.Document,
	error) {
	r, err := h.archive.open(at)
	if err != nil {
		return nil, err
	}
	answer, err := h.archive.answer(r, at)
	if err != nil {
		r.Close()
		return nil, err
	}
	cut := at.truncated && at.kind == refResponse // a revisit's payload belongs to another record
	c := fetch.New(s)
	c.Limits, c.Timeouts = env.Limits(), env.Timeouts()
	c.Policy = fetch.Policy{NoFollow: true, AllowPorts: []int{u.PortNumber(0)}} // it was decided on when the URI was captured
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
