package mail

import (
	"context"
	"iter"
	"slices"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/hint"
	"example.org/deref/schemes/internal/maildoc"
	"example.org/deref/uri"
)

// A mailtoListing is a request for the messages to and from addresses.
type mailtoListing struct {
	addresses []string
	since     time.Time
	words     []string
	mbox      bool
	sources   []source
	missing   bool // no source is configured
}

// planListing lists "the set of messages sent to or from" the addresses, as far as the sources hold them (RFC 6068, and RFC 1630 for the
// idea).
func (c Config) planListing(u mailtoURI, o *fetch.Options) (p *fetch.Plan, err error) {
	if err := onlyWhole(o, "mailto"); err != nil {
		return nil, err
	}
	r := &mailtoListing{words: o.Search, mbox: o.Get("mailto.view") == "mbox", missing: len(c.Sources) == 0}
	for _, a := range u.Addresses {
		r.addresses = append(r.addresses, string(a))
	}
	if r.since, err = maildoc.ParseSince("mailto.since", o.Get("mailto.since")); err != nil {
		return nil, err
	}
	p = &fetch.Plan{TLS: fetch.NoTLS, Shape: fetch.ShapeListing, Run: r.run}
	if r.mbox {
		p.Shape, p.Type = fetch.ShapeDocument, maildoc.MailboxType
	}
	r.sources, err = c.planSources(p, o, r.steps)
	return p, err
}

// steps returns the steps for one source. A news server cannot search for addresses.
func (r *mailtoListing) steps(s source, o *fetch.Options) (list []fetch.Step, err error) {
	switch s.kind {
	case "imap", "imaps":
		list, err = s.openSteps(o, untilEach)
		for _, a := range r.addresses {
			args := []string{"OR", "FROM", "<address>", "OR", "TO", "<address>", "CC", "<address>"}
			list = append(list, fetch.Step{Verb: "UID SEARCH", Args: args, Data: a, Repeat: untilEach})
		}
		list = append(list, headsStep(untilEach))
		if r.mbox {
			list = append(list, bodiesStep())
		}
	case "maildir", "mbox", "mh", "":
		for _, a := range r.addresses {
			list = append(list, fetch.Step{Verb: "look", Args: []string{s.name, "from", "or", "to"}, Data: a})
		}
	}
	return list, err
}

// run lists the messages of all sources while it finds them.
func (r *mailtoListing) run(ctx context.Context, _ *fetch.Plan, env *fetch.Env) (*fetch.Document, error) {
	if r.missing {
		return nil, noSource(hint.Send)
	}
	s := &mailtoSearch{mailtoListing: r, env: env}
	if r.mbox {
		return maildoc.Mailbox(maildoc.MailboxBody(fromSources(ctx, r.sources, s.texts), 0)), nil
	}
	return fetch.NewListing(fromSources(ctx, r.sources, s.entries)), nil
}

// A mailtoSearch is one run of a mailtoListing.
type mailtoSearch struct {
	*mailtoListing
	env *fetch.Env
}

// entries lists the messages of one source.
func (s *mailtoSearch) entries(ctx context.Context, src source) iter.Seq2[fetch.Entry, error] {
	if !src.isIMAP() {
		return mapped(s.inStore(ctx, src), func(m storedMessage) (fetch.Entry, error) { return listingEntry(m.head(), uri.URI{}), nil })
	}
	return func(yield func(fetch.Entry, error) bool) {
		busy := false
		for b, err := range src.eachMailbox(ctx, s.env, &busy) {
			busy = true
			for h, err := range s.headsIn(b, err) {
				if !yield(listingEntry(h, b.messageURI(h.uid)), err) || err != nil {
					return
				}
			}
			busy = false
		}
	}
}

// texts yields the messages of one source.
func (s *mailtoSearch) texts(ctx context.Context, src source) iter.Seq2[*fetch.Document, error] {
	if !src.isIMAP() {
		return mapped(s.inStore(ctx, src), func(m storedMessage) (*fetch.Document, error) { return m.text(src) })
	}
	return func(yield func(*fetch.Document, error) bool) {
		busy := false
		for b, err := range src.eachMailbox(ctx, s.env, &busy) {
			busy = true
			hits := []uint32{}
			for h, err := range s.headsIn(b, err) {
				if err != nil {
					yield(nil, err)
					return
				}
				hits = append(hits, h.uid)
			}
			for d, err := range b.texts(hits, func() { busy = false }) {
				if !yield(d, err) || err != nil {
					return
				}
			}
		}
	}
}

// inStore yields the matching messages of a store.
func (s *mailtoSearch) inStore(ctx context.Context, src source) iter.Seq2[storedMessage, error] {
	return func(yield func(storedMessage, error) bool) {
		if err := s.env.Announce(src.steps...); err != nil {
			yield(storedMessage{}, err)
			return
		}
		for m, err := range src.messages(ctx) {
			if (err != nil || s.matches(m.head())) && !yield(m, err) {
				return
			}
		}
	}
}

// search searches a mailbox for each of the addresses.
func (s *mailtoSearch) search(b openMailbox) (uids []uint32, err error) {
	for _, a := range s.addresses {
		for _, step := range b.steps {
			if step.Verb == "UID SEARCH" && step.Data == a {
				if err := s.env.Announce(step); err != nil {
					return nil, err
				}
			}
		}
		found, err := b.searchAddress(a, s.since)
		if err != nil {
			return nil, err
		}
		uids = append(uids, found...)
	}
	slices.Sort(uids)
	return slices.Compact(uids), nil
}

// headsIn searches a mailbox that was opened without an error, and yields the heads of the messages that match.
func (s *mailtoSearch) headsIn(b openMailbox, err error) iter.Seq2[head, error] {
	return func(yield func(head, error) bool) {
		var uids []uint32
		if err == nil {
			uids, err = s.search(b)
		}
		if err == nil && len(uids) > 0 {
			err = b.announceFetch(headerItems, uids)
		}
		if err != nil {
			yield(head{}, err)
			return
		}
		if len(uids) == 0 {
			return
		}
		for h, err := range b.heads(uids) {
			if (err != nil || s.matches(h)) && !yield(h, err) {
				return
			}
		}
	}
}

// listingEntry returns an entry whose URI is the message's mid URI, or else place.
func listingEntry(h head, place uri.URI) fetch.Entry {
	e := h.entry()
	if e.URI = place; !place.IsZero() {
		e.Attr["imap"] = []string{place.String()}
	}
	if mids := e.Attr["mid"]; len(mids) > 0 {
		e.URI, _ = uri.Parse(mids[0])
	}
	return e
}
