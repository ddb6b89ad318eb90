package browse

import "slices"

// maxCache bounds the bytes of the pages in memory, and maxPage those of one page. What is longer is shown in part.
const (
	maxCache   = 64 << 20
	maxPage    = 8 << 20
	maxEntries = 100_000
)

// A cache holds the pages that were loaded, up to maxCache bytes. The oldest are dropped first.
type cache struct {
	pages map[string]*page
	order []string // of keys, the oldest first
	size  int
}

func (c *cache) get(key string) *page { return c.pages[key] }

func (c *cache) put(key string, p *page) {
	c.drop(key)
	if c.pages == nil {
		c.pages = map[string]*page{}
	}
	c.pages[key] = p
	c.order = append(c.order, key)
	c.size += p.size()
	for c.size > maxCache && len(c.order) > 1 {
		c.drop(c.order[0])
	}
}

func (c *cache) drop(key string) {
	if p := c.pages[key]; p != nil {
		c.size -= p.size()
		delete(c.pages, key)
		c.order = slices.DeleteFunc(c.order, func(k string) bool { return k == key })
	}
}
