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
	pages map[string]*page
	order []string          // of keys, the oldest first
	names map[string]string // other keys: where redirects ended
	size  int
}

func (c *cache) get(key string) *page {
	if p := c.pages[key]; p != nil {
		return p
	}
	return c.pages[c.names[key]]
}

// name adds a second key for a page.
func (c *cache) name(other, key string) {
	if c.names == nil {
		c.names = map[string]string{}
	}
	c.names[other] = key
}

// all returns the pages by all of their keys.
func (c *cache) all() map[string]*page {
	pages := maps.Clone(c.pages)
	for other, key := range c.names {
		if pages[other] == nil {
			pages[other] = c.pages[key]
		}
	}
	return pages
}

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
		maps.DeleteFunc(c.names, func(_, k string) bool { return k == key })
	}
}
