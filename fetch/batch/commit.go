package batch

import (
	"context"
	"errors"
	"sync"
	"time"

	"example.org/deref/fetch/internal/lock"
)

// Bounds on the items that wait for a Commit.
const (
	commitEvery = time.Second            // a sync for each document would cost more than the document
	commitLast  = 200 * time.Millisecond // after the last item that is known so far
	commitMost  = 4096                   // items
)

// commits records items in the Journal after their results are durable. All items finished since the last Commit share the next.
type commits struct {
	run *run

	mu       sync.Mutex
	finished []Finished
	timer    *time.Timer // armed while items wait

	one lock.Long // held during a Commit
	err error     // the first error of Commit or the Journal; nothing is committed after it
}

// note records a finished item: at once without Commit, else soon.
func (c *commits) note(w Finished) {
	o := &c.run.options
	if o.Commit == nil && o.Journal == nil || w.Item.end {
		return
	}
	if o.Commit == nil {
		if _, err := o.Journal.Note([]Finished{w}); err != nil {
			c.run.cancel(err)
		}
		return
	}
	c.mu.Lock()
	c.finished = append(c.finished, w)
	n := len(c.finished)
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

// hurry lets the waiting items be committed soon.
func (c *commits) hurry() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.finished) > 0 {
		c.timer.Reset(commitLast)
	}
}

// commit commits all waiting items.
func (c *commits) commit() {
	c.one.Lock()
	defer c.one.Unlock()
	c.mu.Lock()
	all := c.finished
	c.finished = nil
	c.mu.Unlock()
	items := make([]*Item, 0, len(all))
	for _, w := range all {
		if w.Err == nil {
			items = append(items, w.Item)
		}
	}
	if c.err == nil && len(items) > 0 {
		c.err = c.run.options.Commit(items)
	}
	recorded := 0
	if c.err == nil && len(all) > 0 && c.run.options.Journal != nil {
		recorded, c.err = c.run.options.Journal.Note(all)
	}
	if c.err != nil {
		c.run.uncount(all[recorded:])
		c.run.cancel(c.err)
	}
}

// end commits the waiting items after all are finished.
func (c *commits) end() {
	c.mu.Lock()
	if c.timer != nil {
		c.timer.Stop()
	}
	c.mu.Unlock()
	c.commit()
}

// cause returns why the Run ended early. A failed Commit takes precedence over the end of the caller's context.
func (c *commits) cause(ctx context.Context) error {
	c.one.Lock()
	defer c.one.Unlock()
	if err := context.Cause(ctx); c.err == nil || errors.Is(err, c.err) {
		return err
	}
	return c.err
}

// uncount reverts the count of items that have to be done again.
func (b *run) uncount(list []Finished) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, w := range list {
		if w.Err == nil {
			b.sum.Done--
		}
	}
}
