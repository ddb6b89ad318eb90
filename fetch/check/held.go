package check

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"example.org/deref/fetch/batch"
	"example.org/deref/uri"
)

// Bounds on what is held: in a crawl bad links, which are reported at the end, since pages that are read later may contain them, too; else
// references that are not URIs, which wait for their turn.
const (
	maxHeld      = 10_000
	maxHeldBytes = 4 << 20 // of the references
)

// An invalidRef is a reference that is not a URI. No item of the list stands for it.
type invalidRef struct {
	result *Result
	next   int64 // number of the first item after it
}

// invalid reports a reference that is not a URI in its turn, but in a crawl, where every page may contain it, once. The caller holds r.mu.
func (r *run) invalid(res *Result) {
	key := "ref:" + res.Ref
	switch held := r.held[key]; {
	case held != nil:
		r.addPlaceTo(held, res.Places[0])
		return
	case len(r.held)+len(r.waiting) >= maxHeld, r.heldBytes+len(res.Ref) > maxHeldBytes:
		r.report(res)
		return
	case r.crawl != nil:
		r.held[key] = res
	default:
		r.waiting = append(r.waiting, invalidRef{res, r.links.Len()})
	}
	r.heldBytes += len(res.Ref)
}

// An order finishes links in the order of the list. Results take little memory, so the Window is their only bound.
type order struct{ *run }

// Waits implements batch.Order.
func (order) Waits(*batch.Item) bool { return true }

// Full implements batch.Order.
func (order) Full() bool { return false }

// Turn implements batch.Order: it reports the references before the link that are not URIs.
func (o order) Turn(number int64) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	for len(o.waiting) > 0 && o.waiting[0].next <= number {
		o.report(o.waiting[0].result)
		o.heldBytes -= len(o.waiting[0].result.Ref)
		o.waiting = o.waiting[1:]
	}
	return nil
}

// reportHeld reports the results that were held, by their first places.
func (r *run) reportHeld() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, w := range r.waiting { // the run was interrupted
		r.report(w.result)
	}
	for _, res := range slices.SortedFunc(maps.Values(r.held), func(a, b *Result) int {
		return cmp.Or(slices.CompareFunc(a.Places, b.Places, comparePlaces), strings.Compare(a.Name(), b.Name()))
	}) {
		r.report(res)
	}
	clear(r.held)
}

func comparePlaces(a, b Place) int {
	return cmp.Or(strings.Compare(a.Source.String(), b.Source.String()), cmp.Compare(a.Line, b.Line))
}

// withPlace adds a place to the first MaxPlaces. In a crawl, these are the first ones in the order of comparePlaces, whenever their pages are read.
func (r *run) withPlace(list []Place, at Place) []Place {
	i := len(list)
	if r.crawl != nil {
		i, _ = slices.BinarySearchFunc(list, at, func(a, b Place) int { return cmp.Or(comparePlaces(a, b), -1) })
	}
	if i == MaxPlaces {
		return list
	}
	list = slices.Insert(list, i, at)
	return list[:min(len(list), MaxPlaces)]
}

// addPlaceTo adds a place to a result.
func (r *run) addPlaceTo(res *Result, at Place) {
	res.Count++
	res.Places = r.withPlace(res.Places, at)
}

// placeFrom sets the place of a result from the note in the list of links.
func (r *run) placeFrom(res *Result, text json.RawMessage) {
	var n note
	if json.Unmarshal(text, &n) != nil || n.Source == "" {
		return
	}
	if u, err := uri.Parse(n.Source); err == nil {
		r.addPlaceTo(res, Place{u, n.Line, n.Text})
	}
}
