package mail

import (
	"cmp"
	"context"
	"iter"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/fetch/hint"
	"example.org/deref/schemes/internal/maildoc"
	"example.org/deref/uri"
)

// run searches the sources in order. A hit on an IMAP server becomes a referral, a hit in a local store becomes the document. News servers
// come last, as referrals, because only they know which articles they hold.
func (r *midRequest) run(ctx context.Context, p *fetch.Plan, env *fetch.Env) (*fetch.Document, error) {
	if len(r.Sources) == 0 {
		return nil, noSource(hint.MailSources)
	}
	s := &midSearch{midRequest: r, uri: p.URI, env: env}
	switch {
	case r.all && r.mbox:
		texts := mapped(s.hits(ctx), func(h hit) (*fetch.Document, error) { return h.open() })
		return maildoc.Mailbox(maildoc.MailboxBody(texts, 0)), nil
	case r.all:
		return fetch.NewListing(mapped(s.hits(ctx), func(h hit) (fetch.Entry, error) { return h.entry, nil })), nil
	}
	return s.first(ctx)
}

// A midSearch is one run of a midRequest.
type midSearch struct {
	*midRequest
	uri  uri.URI
	env  *fetch.Env
	busy bool // an IMAP session is in the middle of a text
}

// A hit is a message with the id.
type hit struct {
	entry    fetch.Entry
	verified bool // the source holds the message
	open     func() (*fetch.Document, error)
}

// first returns the document of the first hit. If one source fails, the others are still searched.
func (s *midSearch) first(ctx context.Context) (*fetch.Document, error) {
	var unverified *hit
	var first error
	for h, err := range s.hits(ctx) {
		switch {
		case err != nil:
			first = err
		case h.verified:
			d, err := h.open()
			if err == nil && s.mbox {
				return singleMailbox(d)
			}
			return d, err
		case unverified == nil:
			unverified = &h
		}
	}
	if unverified != nil && ctx.Err() == nil {
		return unverified.open()
	}
	return nil, first
}

// singleMailbox returns a mailbox of one message.
func singleMailbox(d *fetch.Document) (*fetch.Document, error) {
	if err := readHeader(d); err != nil {
		return nil, err
	}
	return maildoc.Mailbox(maildoc.SingleBody(d, 0)), nil
}

// mapped yields f of the values of seq, and its errors.
func mapped[T, U any](seq iter.Seq2[T, error], f func(T) (U, error)) iter.Seq2[U, error] {
	return func(yield func(U, error) bool) {
		for v, err := range seq {
			var u U
			if err == nil {
				u, err = f(v)
			}
			if !yield(u, err) {
				return
			}
		}
	}
}

// fromSources yields the values of all sources, and then the first error: one source that fails does not hide the others.
func fromSources[T any](
	ctx context.Context, list []source, in func(context.Context, source) iter.Seq2[T, error],
) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var none T
		var first error
		for _, src := range list {
			for v, err := range in(ctx, src) {
				if err == nil && !yield(v, nil) {
					return
				}
				first = cmp.Or(first, err)
			}
		}
		if first != nil {
			yield(none, first)
		}
	}
}

// hits searches the sources one after the other. It ends with an error if no source holds the message.
func (s *midSearch) hits(ctx context.Context) iter.Seq2[hit, error] {
	return func(yield func(hit, error) bool) {
		names := []string{}
		for _, src := range s.sources {
			names = append(names, src.name)
		}
		none := true
		for h, err := range fromSources(ctx, s.sources, s.hitsIn) {
			if none = false; !yield(h, err) {
				return
			}
		}
		if none {
			yield(hit{}, fetch.Errorf(fetch.ErrNotFound, "no message <%s> in %s", s.id, strings.Join(names, ", ")))
		}
	}
}

// hitsIn searches one source.
func (s *midSearch) hitsIn(ctx context.Context, src source) iter.Seq2[hit, error] {
	switch src.kind {
	case "imap", "imaps":
		return s.hitsInIMAP(ctx, src)
	case "nntp", "nntps":
		return s.hitsInNews(src)
	}
	return s.hitsInStore(ctx, src)
}

// hitsInNews yields a referral to a news server.
func (s *midSearch) hitsInNews(src source) iter.Seq2[hit, error] {
	return func(yield func(hit, error) bool) {
		u, err := uri.Parse(src.articleURI(s.id))
		if err != nil {
			return
		}
		if err := s.env.Announce(src.steps[0]); err != nil {
			yield(hit{}, err)
			return
		}
		e := fetch.Entry{
			URI: u, Title: "<" + s.id + ">", Kind: fetch.KindMessage, Type: "message/rfc822", Size: -1,
			Attr: map[string][]string{"source": {src.name}, "verified": {"no"}},
		}
		yield(hit{entry: e, open: func() (*fetch.Document, error) { return src.refer(u), nil }}, nil)
	}
}

// refer returns a referral from a source to the message.
func (s source) refer(u uri.URI) *fetch.Document {
	d := fetch.NewDocument(nil)
	d.Referrals = []fetch.Referral{{URI: u, Reason: "the mail source " + s.name, Own: true}}
	return d
}

// document returns the part or view of the message d that the request names.
func (s *midSearch) document(d *fetch.Document) (*fetch.Document, error) {
	d.Type, d.TypeReason = "message/rfc822", "a message"
	switch {
	case s.partID != "":
		return partOf(d.Body, s.env.Limits().Nesting, s.partID)
	case s.part > 0:
		return maildoc.Part(d, s.part, s.env.Limits().Nesting)
	case !s.mbox:
		s.listContents(d, s.uri, s.env.Limits())
	}
	return d, nil
}
