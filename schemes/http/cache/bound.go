package cache

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// abandoned is the age at which what belongs to no entry is taken for the rest of a process that died.
const abandoned = time.Hour

// held is an entry as it stands in the folder.
type held struct {
	meta, body string
	size       int64
	used       time.Time
}

// bound notes that the cache has grown, and looks at the folder when it may have become too large: other processes write into it too.
func (c *Cache) bound(grown int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.grown += grown
	if c.size >= 0 && c.grown < c.max/8 && c.size+c.grown <= c.max {
		return
	}
	c.grown = 0
	if c.size = c.measure(); c.size > c.max {
		c.size = c.sweep()
	}
}

// measure counts the octets of all of the cache's files.
func (c *Cache) measure() (size int64) {
	files, _ := os.ReadDir(c.dir)
	for _, f := range files {
		if name := f.Name(); isMeta(name) || isBody(name) {
			if info, err := f.Info(); err == nil {
				size += info.Size()
			}
		}
	}
	return size
}

// sweep removes the least recently used entries until three quarters of the allowed octets are left, and what nobody refers to.
func (c *Cache) sweep() (size int64) {
	list, strays := c.list()
	for _, h := range list {
		size += h.size
	}
	slices.SortFunc(list, func(a, b held) int { return a.used.Compare(b.used) })
	for _, h := range list {
		if size <= c.max/4*3 {
			break
		}
		os.Remove(filepath.Join(c.dir, h.meta))
		os.Remove(filepath.Join(c.dir, h.body))
		size -= h.size
	}
	for _, name := range strays {
		os.Remove(filepath.Join(c.dir, name))
	}
	return size
}

// list returns the entries, and the old files that belong to none.
func (c *Cache) list() (list []held, strays []string) {
	files, err := os.ReadDir(c.dir)
	if err != nil {
		return nil, nil
	}
	referred := map[string]bool{}
	for _, f := range files {
		if !isMeta(f.Name()) {
			continue
		}
		info, err := f.Info()
		m, ok := readMeta(filepath.Join(c.dir, f.Name()))
		if err != nil || !ok {
			strays = append(strays, f.Name())
			continue
		}
		referred[m.Body] = true
		list = append(list, held{f.Name(), m.Body, m.Size + info.Size(), info.ModTime()})
	}
	for _, f := range files {
		name := f.Name()
		if !isBody(name) && !strings.HasPrefix(name, tempPrefix) || referred[name] {
			continue // also what is none of ours
		}
		if info, err := f.Info(); err == nil && time.Since(info.ModTime()) > abandoned {
			strays = append(strays, name)
		}
	}
	return list, strays
}
