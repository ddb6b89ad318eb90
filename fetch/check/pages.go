package check

import (
	"bytes"
	"io"
	"slices"
	"sync"

	"example.org/deref/fetch"
	"example.org/deref/fetch/pieces"
	"example.org/deref/uri"
)

// pages holds the last few pages in which a part was looked for, since links into one page usually come together: a table of contents has
// hundreds of them. It is safe for concurrent use.
type pages struct {
	mu   sync.Mutex
	list []*page // the latest last
}

// A page holds the parts of a Document that links into it need.
type page struct {
	uri   uri.URI // without a fragment
	whole fetch.Document
	text  []byte
}

const (
	maxPages = 8
	maxPage  = 1 << 20 // longer pages are read again for each part
)

// find returns a Document of the page that u refers to, or nil if it is not held.
func (p *pages) find(u uri.URI) *fetch.Document {
	bare := u.WithoutFragment().String()
	p.mu.Lock()
	defer p.mu.Unlock()
	i := slices.IndexFunc(p.list, func(g *page) bool { return g.uri.String() == bare })
	if i < 0 {
		return nil
	}
	d := p.list[i].whole
	d.Body = io.NopCloser(bytes.NewReader(p.list[i].text))
	d.Fragment = ""
	if f, ok := u.Fragment(); ok {
		d.Fragment = string(f)
	}
	for _, r := range d.Via {
		if f, ok := r.URI.Fragment(); ok { // as in Client.Get
			d.Fragment = string(f)
		}
	}
	return &d
}

// keep keeps the page that u refers to, if it is complete and not too long, and leaves d unchanged.
func (p *pages) keep(u uri.URI, d *fetch.Document) {
	text, _ := wholeText(d)
	if text == nil {
		return
	}
	g := &page{uri: u.WithoutFragment(), whole: *d, text: text}
	g.whole.Body, g.whole.Entries = nil, nil
	p.mu.Lock()
	defer p.mu.Unlock()
	if slices.ContainsFunc(p.list, func(h *page) bool { return h.uri.String() == g.uri.String() }) {
		return // another goroutine was faster
	}
	if len(p.list) == maxPages {
		p.list = slices.Delete(p.list, 0, 1)
	}
	p.list = append(p.list, g)
}

// wholeText returns the text of a page, and leaves d unchanged. It returns nil if the page is too long or fails.
func wholeText(d *fetch.Document) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(d.Body, maxPage+1))
	d.Body = fetch.NewBody(&pieces.Ahead{Rest: d.Body, Held: text, Err: err}, d.Body.Close)
	if len(text) > maxPage || err != nil {
		return nil, err
	}
	return text, nil
}
