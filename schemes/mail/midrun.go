package mail

import (
	"context"
	"iter"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/schemes/internal/maildoc"
	"example.org/deref/uri"
)

// Run asks the sources in their order. An imap message is referred to, one on this machine is the document itself; news servers are
// asked last, by referral, since only they know what they hold.
func (h mid) Run(ctx context.Context, p *fetch.Plan, env *fetch.Env) (*fetch.Document, error) {
	r, err := midOf(p.URI)
	if err != nil {
		return nil, err
	}
	w, err := r.wanted(p.Options)
	if err != nil {
		return nil, err
	}
	if len(h.Sources) == 0 {
		return nil, noSource("--mail SOURCE names one: imap://user@host, maildir:DIR, mbox:FILE, mh:DIR")
	}
	list, err := h.inquire(w, p.Options)
	if err != nil {
		return nil, err
	}
	q := &query{choice: w, Config: h.Config, plan: p, env: env}
	switch {
	case w.all && w.mbox:
		return maildoc.Mailbox(q.messages(ctx, list)), nil
	case w.all:
		return fetch.NewListing(q.entries(ctx, list)), nil
	}
	return q.first(ctx, list)
}

// A query is a request for the messages of an id, under way.
type query struct {
	choice
	Config
	plan *fetch.Plan
	env  *fetch.Env
	hold bool // an IMAP session is in the middle of a text
}

// A hit is a message that has the id.
type hit struct {
	entry fetch.Entry
	asked bool // the source was asked, and has it
	open  func() (*fetch.Document, error)
}

// first is the document of the first hit. A source that cannot be asked keeps no other from being asked.
func (q *query) first(ctx context.Context, list []inquiry) (*fetch.Document, error) {
	var unasked *hit
	var first error
	for h, err := range q.hits(ctx, list) {
		switch {
		case err != nil && first == nil:
			first = err
		case err == nil && h.asked:
			d, err := h.open()
			if err == nil && q.mbox {
				return alone(d), nil
			}
			return d, err
		case err == nil && unasked == nil:
			unasked = &h
		}
	}
	if unasked != nil && ctx.Err() == nil {
		return unasked.open()
	}
	return nil, first
}

// alone is a mailbox of one message.
func alone(d *fetch.Document) *fetch.Document {
	return maildoc.Mailbox(func(yield func(*fetch.Document, error) bool) { yield(d, behead(d)) })
}

// entries lists all hits.
func (q *query) entries(ctx context.Context, list []inquiry) iter.Seq2[fetch.Entry, error] {
	return func(yield func(fetch.Entry, error) bool) {
		q.each(ctx, list, func(h hit, err error) bool { return yield(h.entry, err) })
	}
}

// messages are the texts of all hits.
func (q *query) messages(ctx context.Context, list []inquiry) iter.Seq2[*fetch.Document, error] {
	return func(yield func(*fetch.Document, error) bool) {
		q.each(ctx, list, func(h hit, err error) bool {
			if err != nil {
				return yield(nil, err)
			}
			return yield(h.open())
		})
	}
}

// each visits all hits, then what kept a source from being asked.
func (q *query) each(ctx context.Context, list []inquiry, visit func(hit, error) bool) {
	var first error
	for h, err := range q.hits(ctx, list) {
		if err != nil {
			if first == nil {
				first = err
			}
			continue
		}
		if !visit(h, nil) {
			return
		}
	}
	if first != nil {
		visit(hit{}, first)
	}
}

// hits asks the sources one after the other. Where none has the message, that is the error, at the end.
func (q *query) hits(ctx context.Context, list []inquiry) iter.Seq2[hit, error] {
	return func(yield func(hit, error) bool) {
		names, n := []string{}, 0
		for _, s := range list {
			names = append(names, s.name)
			for h, err := range q.in(ctx, s) {
				n++
				if !yield(h, err) || err != nil && ctx.Err() != nil {
					return
				}
			}
		}
		if n == 0 {
			yield(hit{}, fetch.Errorf(fetch.ErrNotFound, "no message <%s> in %s", *q.MessageID, strings.Join(names, ", ")))
		}
	}
}

// in looks into one source.
func (q *query) in(ctx context.Context, s inquiry) iter.Seq2[hit, error] {
	switch s.kind {
	case "imap", "imaps":
		return q.inIMAP(ctx, s)
	case "nntp", "nntps":
		return q.inNews(s)
	}
	return q.inStore(ctx, s)
}

// inNews leads to a news server.
func (q *query) inNews(s inquiry) iter.Seq2[hit, error] {
	return func(yield func(hit, error) bool) {
		u, err := uri.Parse(s.news(string(*q.MessageID)))
		if err != nil {
			return
		}
		if err := q.env.Announce(s.steps[0]); err != nil {
			yield(hit{}, err)
			return
		}
		e := fetch.Entry{URI: u, Title: "<" + string(*q.MessageID) + ">", Kind: fetch.KindMessage, Type: "message/rfc822", Size: -1,
			Attr: map[string][]string{"source": {s.name}, "verified": {"no"}}}
		yield(hit{entry: e, open: func() (*fetch.Document, error) { return s.refer(u), nil }}, nil)
	}
}

// refer leads from a source to where it has the message.
func (s source) refer(u uri.URI) *fetch.Document {
	d := fetch.NewDocument(nil)
	d.Referrals = []fetch.Referral{{URI: u, Reason: "the mail source " + s.name, Own: true}}
	return d
}

// document makes of d, the text of a message, what is wanted of it.
func (q *query) document(d *fetch.Document) (*fetch.Document, error) {
	d.Type, d.TypeReason = "message/rfc822", "a message"
	switch {
	case q.ContentID != nil:
		return q.named(d)
	case q.part > 0:
		return maildoc.Part(d, q.part, q.env.Limits().Nesting)
	case !q.mbox:
		q.describe(d, q.plan.URI, q.env.Limits())
	}
	return d, nil
}

// named is the part of a Content-ID.
func (q *query) named(d *fetch.Document) (*fetch.Document, error) {
	out, err := partOf(d.Body, q.env.Limits(), string(*q.ContentID))
	if err != nil {
		d.Body.Close()
	}
	return out, err
}
