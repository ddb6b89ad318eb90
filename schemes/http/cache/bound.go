package cache

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// abandoned is the age at which a file without an entry is assumed to be left by a process that died.
const abandoned = time.Hour

// A stored is an entry in the directory.
type stored struct {
	meta, body string
	size       int64
	used       time.Time
}

// bound notes that the cache has grown, and removes entries if it has become too large. Other processes write to the directory, too.
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

// measure returns the total size of the cache's files.
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

// sweep removes the least recently used entries until the cache has three quarters of its maximum size. It also removes abandoned files.
func (c *Cache) sweep() (size int64) {
	list, strays := c.list()
	for _, h := range list {
		size += h.size
	}
	slices.SortFunc(list, func(a, b stored) int { return a.used.Compare(b.used) })
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

// list returns the entries, and the abandoned files.
func (c *Cache) list() (list []stored, strays []string) {
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
		list = append(list, stored{f.Name(), m.Body, m.Size + info.Size(), info.ModTime()})
	}
	for _, f := range files {
		name := f.Name()
		if !isBody(name) && !strings.HasPrefix(name, tempPrefix) || referred[name] {
			continue // it may also be a file of another program
		}
		if info, err := f.Info(); err == nil && time.Since(info.ModTime()) > abandoned {
			strays = append(strays, name)
		}
	}
	return list, strays
}
