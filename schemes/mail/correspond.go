package mail

import (
	"context"
	"iter"
	"slices"
	"strings"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/schemes/internal/mimepart"
	"example.org/deref/uri"
)

// Run lists "the set of messages sent to or from" the addresses, as far as the sources know them (RFC 6068, and RFC 1630 for the idea):
// one after the other, as they are found.
func (h mailto) Run(ctx context.Context, p *fetch.Plan, env *fetch.Env) (*fetch.Document, error) {
	r, err := letterOf(p.URI, p.Options.Mode)
	if err != nil {
		return nil, err
	}
	list, err := h.sources()
	if err != nil {
		return nil, err
	}
	if len(list) == 0 {
		return nil, &fetch.Error{Kind: fetch.ErrNotFound, Text: "no mail source is known to look into", Hint: "--mail SOURCE names one; `deref send` hands a message over"}
	}
	since, err := date(p.Options.Get("mailto.since"))
	if err != nil {
		return nil, err
	}
	w := &wanted{plan: p, env: env, since: since, words: p.Options.Search}
	for _, a := range r.Addresses {
		w.addresses = append(w.addresses, string(a))
	}
	return fetch.NewListing(func(yield func(fetch.Entry, error) bool) {
		for _, s := range list {
			if !w.each(ctx, s, yield) {
				return
			}
		}
	}), nil
}

// date reads the setting since.
func date(s string) (time.Time, error) {
	if s == "" {
		return time.Time{}, nil
	}
	for _, layout := range []string{time.DateOnly, time.RFC3339, "2006-01-02 15:04:05", "Mon, 02 Jan 2006 15:04:05 GMT", time.RFC1123Z} {
		if t, err := time.Parse(layout, s); err == nil {
			return t, nil
		}
	}
	return time.Time{}, fetch.Errorf(fetch.ErrUnsupported, "mailto.since is no date: %q", s)
}

// wanted is what a listing of messages is to hold.
type wanted struct {
	plan      *fetch.Plan
	env       *fetch.Env
	addresses []string
	since     time.Time
	words     []string
}

// each yields the messages of one source, and reports whether to go on.
func (w *wanted) each(ctx context.Context, s source, yield func(fetch.Entry, error) bool) bool {
	switch s.kind {
	case "imap", "imaps":
		return w.inIMAP(ctx, s, yield)
	case "nntp", "nntps":
		return true // it has no such search
	}
	for _, a := range w.addresses {
		w.env.Say(fetch.Step{Verb: "look", Args: []string{s.name, "from", "or", "to"}, Data: a})
	}
	for m, err := range s.messages() {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			yield(fetch.Entry{}, storeError(s, err))
			return false
		}
		fields, err := fieldsOf(m)
		if err != nil {
			continue
		}
		e := headEntry(head{size: m.Size, date: m.Modified, fields: fields})
		if mids := e.Attr["mid"]; len(mids) > 0 {
			e.URI, _ = uri.Parse(mids[0])
		}
		if w.wants(e, mimepart.ParseHeader(fields)) && !yield(e, nil) {
			return false
		}
	}
	return true
}

func (w *wanted) inIMAP(ctx context.Context, s source, yield func(fetch.Entry, error) bool) bool {
	more, hold := true, false
	err := s.eachFolder(ctx, w.plan, w.env, func(c *caller, ss *session, name string, validity uint32) (bool, error) {
		uids := []uint32{}
		for _, a := range w.addresses {
			w.env.Say(searchFor(a))
			found, err := ss.searchAddress(a, w.since)
			if err != nil {
				return false, err
			}
			uids = append(uids, found...)
		}
		slices.Sort(uids)
		if uids = slices.Compact(uids); len(uids) == 0 {
			return false, nil
		}
		c.say("UID FETCH", numbers(uids))
		for h, err := range w.entries(s, name, validity, ss.heads(uids)) {
			if err != nil {
				return false, err
			}
			if more = yield(h, nil); !more {
				hold = true // the reply is not at its end
				return true, nil
			}
		}
		return false, nil
	}, &hold)
	if err != nil && more {
		yield(fetch.Entry{}, err)
		return false
	}
	return more
}

// entries are those of the messages that are wanted.
func (w *wanted) entries(s source, mailbox string, validity uint32, heads iter.Seq2[head, error]) iter.Seq2[fetch.Entry, error] {
	return func(yield func(fetch.Entry, error) bool) {
		for h, err := range heads {
			if err != nil {
				yield(fetch.Entry{}, err)
				return
			}
			e := headEntry(h)
			u, err := messageURI(s.base(), mailbox, validity, h.uid)
			if err == nil {
				e.URI = u
				e.Attr["imap"] = []string{u.String()}
			}
			if mids := e.Attr["mid"]; len(mids) > 0 {
				e.URI, _ = uri.Parse(mids[0])
			}
			if w.wants(e, mimepart.ParseHeader(h.fields)) && !yield(e, nil) {
				return
			}
		}
	}
}

// wants verifies: a search finds texts within other texts, too.
func (w *wanted) wants(e fetch.Entry, h mimepart.Header) bool {
	if !w.since.IsZero() && e.Modified.Before(w.since) {
		return false
	}
	text := strings.ToLower(e.Title)
	for _, name := range headFields() {
		text += " " + strings.ToLower(h.Get(name))
	}
	for _, word := range w.words {
		if !strings.Contains(text, strings.ToLower(word)) {
			return false
		}
	}
	return slices.ContainsFunc(w.addresses, func(a string) bool {
		return names(h.Get("From"), a) || names(h.Get("To"), a) || names(h.Get("Cc"), a)
	})
}

// names reports whether a field names an address: as a whole word, in any case, since hardly any local part has one.
func names(field, address string) bool {
	field, address = strings.ToLower(field), strings.ToLower(address)
	for from := 0; ; {
		i := strings.Index(field[from:], address)
		if i < 0 {
			return false
		}
		i += from
		if end := i + len(address); (i == 0 || !inAddress(field[i-1])) && (end == len(field) || !inAddress(field[end])) {
			return true
		}
		from = i + 1
	}
}

func inAddress(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || strings.IndexByte("!#$%&'*+-/=?^_`{|}~.@", c) >= 0 || c >= 0x80
}

// searchFor is the step that asks a server for an address.
func searchFor(addr string) fetch.Step {
	return fetch.Step{Verb: "UID SEARCH", Args: []string{"OR", "FROM", "<address>", "OR", "TO", "<address>", "CC", "<address>"}, Data: addr, Repeat: untilEach}
}
