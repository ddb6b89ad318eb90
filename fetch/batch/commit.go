package batch

import (
	"context"
	"errors"
	"sync"
	"time"
)

// Bounds of what waits for a Commit.
const (
	commitEvery = time.Second // a sync for each document would cost more than the document
	commitMost  = 4096        // items
)

// commits notes items in the State after what they have brought is durable. All that ended since the last Commit share the next.
type commits struct {
	run *run

	mu      sync.Mutex
	waiting []waiting
	timer   *time.Timer // armed while something waits

	one sync.Mutex // held during a Commit
	err error      // of Commit or the State; nothing is committed after it
}

// waiting is an item that has come to its end.
type waiting struct {
	item *Item
	ok   bool
}

// note enters an item that has come to its end: at once without Commit, else soon.
func (c *commits) note(it *Item, ok bool) {
	o := &c.run.options
	if o.Commit == nil {
		if err := o.State.note(it, ok); err != nil {
			c.run.cancel(err)
		}
		return
	}
	c.mu.Lock()
	c.waiting = append(c.waiting, waiting{it, ok})
	n := len(c.waiting)
	switch {
	case c.timer == nil:
		c.timer = time.AfterFunc(commitEvery, c.commit)
	case n == 1:
		c.timer.Reset(commitEvery)
	}
	c.mu.Unlock()
	if n >= commitMost {
		c.commit()
	}
}

// commit commits all that waits.
func (c *commits) commit() {
	c.one.Lock()
	defer c.one.Unlock()
	c.mu.Lock()
	all := c.waiting
	c.waiting = nil
	c.mu.Unlock()
	items := make([]*Item, 0, len(all))
	for _, w := range all {
		if w.ok {
			items = append(items, w.item)
		}
	}
	if c.err == nil && len(items) > 0 {
		c.err = c.run.options.Commit(items)
	}
	if c.err != nil {
		c.run.uncount(int64(len(items)))
		c.run.cancel(c.err)
		return
	}
	for i, w := range all {
		if c.err = c.run.options.State.note(w.item, w.ok); c.err != nil {
			c.run.uncount(succeeded(all[i:]))
			c.run.cancel(c.err)
			return
		}
	}
}

func succeeded(list []waiting) (n int64) {
	for _, w := range list {
		if w.ok {
			n++
		}
	}
	return n
}

// end commits what waits when all items have come to their end.
func (c *commits) end() {
	c.mu.Lock()
	if c.timer != nil {
		c.timer.Stop()
	}
	c.mu.Unlock()
	c.commit()
}

// cause is why the Run ended early. A Commit that failed outranks the end of the caller's context.
func (c *commits) cause(ctx context.Context) error {
	c.one.Lock()
	defer c.one.Unlock()
	if err := context.Cause(ctx); c.err == nil || errors.Is(err, c.err) {
		return err
	}
	return c.err
}

// uncount takes back what end has counted: the items have to be done again.
func (b *run) uncount(n int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.sum.Done -= n
}
