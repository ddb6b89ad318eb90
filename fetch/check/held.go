package check

import (
	"encoding/json"
	"slices"
	"strings"

	"example.org/deref/uri"
)

// A heldResult is a bad link of a crawl. It is reported at the end, since pages that are read later may contain the link, too.
type heldResult struct {
	result *Result
	number int64 // of the item; -1 for a reference that is not a URI
}

// maxHeld bounds the results that are held.
const maxHeld = 10_000

// addPlace adds a place of a link.
func (r *Result) addPlace(at Place) {
	if r.Count++; len(r.Places) < MaxPlaces {
		r.Places = append(r.Places, at)
	}
}

// placeFrom sets the place from the note in the list of links.
func (r *Result) placeFrom(text json.RawMessage) {
	var n note
	if json.Unmarshal(text, &n) != nil || n.Source == "" {
		return
	}
	if u, err := uri.Parse(n.Source); err == nil {
		r.addPlace(Place{u, n.Line, n.Text})
	}
}

// invalid reports a reference that is not a URI. In a crawl, where every page may contain it, it is reported once. The caller holds r.mu.
func (r *run) invalid(res *Result) {
	if r.crawl == nil {
		r.report(res, -1)
		return
	}
	key := "ref:" + res.Ref
	switch held := r.held[key]; {
	case held != nil:
		held.result.addPlace(res.Places[0])
	case len(r.held) < maxHeld:
		r.held[key] = &heldResult{res, -1}
	default:
		r.report(res, -1)
	}
}

// reportHeld reports the results that were held, in the order of their links.
func (r *run) reportHeld() {
	r.mu.Lock()
	defer r.mu.Unlock()
	var list []*heldResult
	for _, h := range r.held {
		list = append(list, h)
	}
	slices.SortFunc(list, func(a, b *heldResult) int {
		if a.number != b.number {
			return int(a.number - b.number)
		}
		return strings.Compare(a.result.Ref, b.result.Ref)
	})
	for _, h := range list {
		r.report(h.result, h.number)
	}
	clear(r.held)
}
