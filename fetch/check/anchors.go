package check

import (
	"bytes"
	"hash/maphash"
	"io"
	"strings"
	"sync"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// anchors holds the names of the parts of the pages that a crawl has read last, so that links into them need no request. It is safe for concurrent use.
type anchors struct {
	mu    sync.Mutex
	seed  maphash.Seed
	pages map[string]map[uint64]struct{} // by URI
	order []string
	count int // of names, and pageCost for each page
}

const (
	maxNames = 500_000 // held; then the oldest page is dropped
	pageCost = 16      // a page takes the memory of so many names
)

// read reads the names of a page, and leaves d unchanged.
func (a *anchors) read(d *fetch.Document) error {
	f := formatOfDocument(d)
	if d.Entries != nil || f.Anchors == nil {
		return nil
	}
	text, err := wholeText(d)
	if text == nil {
		return err
	}
	copied := *d
	copied.Body = io.NopCloser(bytes.NewReader(text))
	in, _, err := decoded(&copied, f.Declares)
	if err != nil {
		return err
	}
	set := map[uint64]struct{}{}
	if !f.Markup {
		set[a.hash(foldMark)] = struct{}{}
	}
	for name := range f.Anchors(in) {
		if !f.Markup {
			name = strings.ToLower(name)
		}
		set[a.hash(name)] = struct{}{}
	}
	a.add(d.URI.WithoutFragment().String(), set)
	return nil
}

// foldMark is in the set of a text whose names do not distinguish capital letters: see findAnchor.
const foldMark = "\x00fold"

func (a *anchors) hash(name string) uint64 { return maphash.String(a.seed, name) }

// add adds the names of a page.
func (a *anchors) add(key string, set map[uint64]struct{}) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if _, held := a.pages[key]; held {
		return
	}
	a.pages[key] = set
	a.order = append(a.order, key)
	for a.count += len(set) + pageCost; a.count > maxNames && len(a.order) > 1; a.order = a.order[1:] {
		a.count -= len(a.pages[a.order[0]]) + pageCost
		delete(a.pages, a.order[0])
	}
}

// has reports whether the page that u refers to is held, and has the part with the written name.
func (a *anchors) has(u uri.URI, written string) (known, found bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	set, known := a.pages[u.WithoutFragment().String()]
	part, err := uri.FragmentText.Unescape(uri.Escaped(written))
	if !known || err != nil || isForViewers(written) {
		return false, false
	}
	if _, fold := set[a.hash(foldMark)]; fold {
		if part = strings.ToLower(part); isLineOfCode(written) {
			return false, false
		}
	}
	_, found = set[a.hash(part)]
	return true, found
}
