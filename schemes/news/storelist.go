package news

import (
	"iter"

	"example.org/deref/fetch"
	"example.org/deref/schemes/internal/wildmat"
)

// storedEntry is an article of a store in a listing.
func (r *run) storedEntry(a stored) fetch.Entry {
	e := r.messageEntry(a.group, a.number, a.header)
	e.Size = a.size
	return e
}

// storedSince yields the articles that are late enough, of all groups or those of a wildmat, each once as far as can be held.
func (r *run) storedSince(all iter.Seq2[stored, error]) iter.Seq2[fetch.Entry, error] {
	return func(yield func(fetch.Entry, error) bool) {
		seen := map[string]bool{}
		for a, err := range all {
			if err != nil {
				yield(fetch.Entry{}, err)
				return
			}
			id := a.id()
			if seen[id] || !r.wants(a.header.Get("Date")) || r.Group != nil && !wildmat.Match(string(*r.Group), a.group) {
				continue
			}
			if id != "" && len(seen) < maxThread {
				seen[id] = true
			}
			if !yield(r.storedEntry(a), nil) {
				return
			}
		}
	}
}

// storedThread lists the thread that an article is in. The store is gone through until nothing more of the thread is found: answers may
// stand before what they answer.
func (r *run) storedThread(all iter.Seq2[stored, error]) (*fetch.Document, error) {
	a, found, err := r.find(all)
	if err != nil {
		return nil, err
	}
	if !found {
		return nil, r.notReceived()
	}
	t := newTree(a.header)
	t.answers(nil, a.header)
	for before := -1; before < len(t.known); {
		before = len(t.known)
		for a, err := range all {
			if err == nil {
				err = t.take(r.storedEntry(a))
			}
			if err != nil {
				return nil, err
			}
			if t.by[a.id()] != nil {
				t.answers(nil, a.header)
			}
		}
	}
	t.missing = int64(len(t.known) - len(t.by))
	return t.listing(), nil
}
