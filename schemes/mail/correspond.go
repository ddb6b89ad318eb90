package mail

import (
	"context"
	"iter"
	"slices"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/schemes/internal/maildoc"
	"example.org/deref/uri"
)

// Run lists "the set of messages sent to or from" the addresses, as far as the sources know them (RFC 6068, and RFC 1630 for the idea):
// one after the other, as they are found.
func (h mailto) Run(ctx context.Context, p *fetch.Plan, env *fetch.Env) (*fetch.Document, error) {
	r, err := letterOf(p.URI, p.Options.Mode)
	if err != nil {
		return nil, err
	}
	if len(h.Sources) == 0 {
		return nil, noSource("--mail SOURCE names one; `deref send` hands a message over")
	}
	list, err := h.correspondence(r, p.Options)
	if err != nil {
		return nil, err
	}
	since, err := date(p.Options.Get("mailto.since"))
	if err != nil {
		return nil, err
	}
	w := &wanted{plan: p, env: env, since: since, words: p.Options.Search}
	for _, a := range r.Addresses {
		w.addresses = append(w.addresses, string(a))
	}
	if p.Options.Get("mailto.view") == "mbox" {
		return maildoc.Mailbox(everySource(list, func(q inquiry) iter.Seq2[*fetch.Document, error] { return w.texts(ctx, q) })), nil
	}
	return fetch.NewListing(everySource(list, func(q inquiry) iter.Seq2[fetch.Entry, error] { return w.list(ctx, q) })), nil
}

// everySource yields what all the sources have. One that cannot be asked keeps no other from it; that it could not comes last.
func everySource[T any](list []inquiry, of func(inquiry) iter.Seq2[T, error]) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var none T
		var first error
		for _, q := range list {
			for v, err := range of(q) {
				if err != nil {
					if first == nil {
						first = err
					}
					break
				}
				if !yield(v, nil) {
					return
				}
			}
		}
		if first != nil {
			yield(none, first)
		}
	}
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
	return time.Time{}, fetch.BadSetting("mailto.since", "mailto.since is no date: %q", s)
}

func validDate(s string) error {
	_, err := date(s)
	return err
}

// wanted is what a listing of messages is to hold.
type wanted struct {
	plan      *fetch.Plan
	env       *fetch.Env
	addresses []string
	since     time.Time
	words     []string
}

// list yields the messages of one source.
func (w *wanted) list(ctx context.Context, q inquiry) iter.Seq2[fetch.Entry, error] {
	return func(yield func(fetch.Entry, error) bool) {
		if !q.remote() {
			for m, err := range w.inStore(ctx, q) {
				if !yield(w.entry(m.head(), ""), err) || err != nil {
					return
				}
			}
			return
		}
		left := false
		err := w.inIMAP(ctx, q, func(f opened, uids []uint32, hold *bool) (bool, error) {
			for h, err := range w.heads(f, uids) {
				if err != nil {
					return false, err
				}
				if left = !yield(w.entry(h, f.message(h.uid)), nil); left {
					*hold = true // the reply is not at its end
					break
				}
			}
			return left, nil
		})
		if err != nil && !left {
			yield(fetch.Entry{}, err)
		}
	}
}

// texts yields the messages of one source themselves.
func (w *wanted) texts(ctx context.Context, q inquiry) iter.Seq2[*fetch.Document, error] {
	return func(yield func(*fetch.Document, error) bool) {
		if !q.remote() {
			for m, err := range w.inStore(ctx, q) {
				var d *fetch.Document
				if err == nil {
					d, err = m.text(q.source)
				}
				if !yield(d, err) || err != nil {
					return
				}
			}
			return
		}
		left := false
		err := w.inIMAP(ctx, q, func(f opened, uids []uint32, hold *bool) (bool, error) {
			wanted := []uint32{}
			for h, err := range w.heads(f, uids) {
				if err != nil {
					return false, err
				}
				wanted = append(wanted, h.uid)
			}
			*hold = true
			for d, err := range f.texts(wanted, func() { *hold = false }) {
				if left = !yield(d, err); left || err != nil {
					return true, nil
				}
			}
			return false, nil
		})
		if err != nil && !left {
			yield(nil, err)
		}
	}
}

// inStore yields the messages of a store that are wanted.
func (w *wanted) inStore(ctx context.Context, q inquiry) iter.Seq2[found, error] {
	return func(yield func(found, error) bool) {
		if err := w.env.Announce(q.steps...); err != nil {
			yield(found{}, err)
			return
		}
		for m, err := range q.stored(ctx) {
			if err != nil {
				yield(found{}, err)
				return
			}
			fields, err := fieldsOf(m.Message)
			if out := (found{m, fields}); err == nil && w.wants(out.head()) && !yield(out, nil) {
				return
			}
		}
	}
}

// inIMAP visits the folders of a server that hold such messages.
func (w *wanted) inIMAP(ctx context.Context, q inquiry, visit func(f opened, uids []uint32, hold *bool) (bool, error)) error {
	hold := false
	return q.eachFolder(ctx, w.plan, w.env, &hold, func(f opened) (bool, error) {
		uids, err := w.search(f)
		if err != nil || len(uids) == 0 {
			return false, err
		}
		if err := f.say("UID FETCH", numbers(uids)); err != nil {
			return false, err
		}
		return visit(f, uids, &hold)
	})
}

// search asks a folder for each of the addresses.
func (w *wanted) search(f opened) (uids []uint32, err error) {
	for _, a := range w.addresses {
		for _, step := range f.steps {
			if step.Verb == "UID SEARCH" && step.Data == a {
				if err := w.env.Announce(step); err != nil {
					return nil, err
				}
			}
		}
		found, err := f.searchAddress(a, w.since)
		if err != nil {
			return nil, err
		}
		uids = append(uids, found...)
	}
	slices.Sort(uids)
	return slices.Compact(uids), nil
}

// heads are those of the messages that are wanted.
func (w *wanted) heads(f opened, uids []uint32) iter.Seq2[head, error] {
	return func(yield func(head, error) bool) {
		for h, err := range f.heads(uids) {
			if (err != nil || w.wants(h)) && !yield(h, err) {
				return
			}
		}
	}
}

// entry is a message in the listing: by its id, wherever it lies; place is the URI of one that has none.
func (w *wanted) entry(h head, place string) fetch.Entry {
	e := headEntry(h)
	if place != "" {
		e.Attr["imap"] = []string{place}
	}
	if mids := e.Attr["mid"]; len(mids) > 0 {
		place = mids[0]
	}
	if place != "" {
		e.URI, _ = uri.Parse(place)
	}
	return e
}

// searchFor is the step that asks a server for an address.
func searchFor(addr string) fetch.Step {
	return fetch.Step{Verb: "UID SEARCH", Args: []string{"OR", "FROM", "<address>", "OR", "TO", "<address>", "CC", "<address>"}, Data: addr, Repeat: untilEach}
}
