package browse

import (
	"maps"
	"slices"
)

// maxCache bounds the bytes of the pages in memory, and maxPage those of one page. What is longer is shown in part.
const (
	maxCache   = 64 << 20
	maxPage    = 8 << 20
	maxEntries = 100_000
)

// A cache holds the pages that were loaded, up to maxCache bytes. The oldest are dropped first.
type cache struct {
	pages map[string]*page // also by where redirects ended
	order []*page          // the oldest first
	size  int
}

// name adds a second key for a page, unless there is another page of that.
func (c *cache) name(other, key string) {
	if c.pages[other] == nil {
		c.pages[other] = c.pages[key]
	}
}

func (c *cache) put(key string, p *page) {
	c.drop(c.pages[key])
	if c.pages == nil {
		c.pages = map[string]*page{}
	}
	c.pages[key] = p
	c.order = append(c.order, p)
	c.size += p.size()
	for c.size > maxCache && len(c.order) > 1 {
		c.drop(c.order[0])
	}
}

func (c *cache) drop(p *page) {
	if i := slices.Index(c.order, p); i >= 0 {
		c.size -= p.size()
		c.order = slices.Delete(c.order, i, i+1)
		maps.DeleteFunc(c.pages, func(_ string, q *page) bool { return q == p })
	}
}
