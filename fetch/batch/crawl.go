package batch

import (
	"context"
	"encoding/json"
	"errors"

	"example.org/deref/fetch"
)

// Run processes the items, including those added meanwhile, and returns when there are no more.
func (f *Frontier) Run(ctx context.Context, task Task, o *Options) (Summary, error) {
	var c Options
	if o != nil {
		c = *o
	}
	c.frontier = f
	stop := context.AfterFunc(ctx, func() { f.stop(nil) })
	defer stop()
	defer f.stop(nil)
	f.mu.Lock()
	f.pending, f.stopped, f.err = 0, false, nil
	f.mu.Unlock()
	sum, err := Run(ctx, f.items(ctx), task, &c)
	f.mu.Lock()
	defer f.mu.Unlock()
	return sum, errors.Join(err, f.err)
}

// items yields the records in order. At the end it waits while an unfinished item, or another process, may add more.
func (f *Frontier) items(ctx context.Context) Seq {
	return func(yield func(*Item, error) bool) {
		in := f.log.Scan()
		defer in.Close()
		for n := int64(0); f.wait(n); n++ {
			record, at, err := in.Next(ctx)
			if err != nil && ctx.Err() != nil {
				return
			}
			it := &Item{}
			if err == nil {
				err = f.parse(it, record, at)
			}
			if err != nil {
				f.stop(fetch.Errorf(fetch.ErrLocal, "the frontier: %w", err))
				return
			}
			if !yield(it, nil) {
				return
			}
		}
	}
}

// parse sets the fields of an item from its record.
func (f *Frontier) parse(it *Item, record []byte, at int64) (err error) {
	var l Record
	if err = json.Unmarshal(record, &l); err != nil {
		return err
	}
	it.URI, it.Note, it.Redo = l.URI, l.Note, l.Redo
	if f.file == nil && it.Redo == 0 {
		it.Duplicate, err = f.isDuplicate(l.URI, at)
	}
	return err
}

// wait blocks until the log has more than n records. It returns false if no more will be added. With a shared log, the reader waits.
func (f *Frontier) wait(n int64) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	for f.file != nil && f.length <= n && f.pending > 0 && !f.stopped {
		f.grown.Wait()
	}
	if f.stopped || f.file != nil && f.length <= n {
		return false
	}
	f.pending++
	return true
}

// ended notes that an item is finished and adds no more. It does nothing if f is nil.
func (f *Frontier) ended() {
	if f == nil {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.pending--
	f.grown.Signal()
}

func (f *Frontier) stop(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.stopped = true
	f.err = errors.Join(f.err, err)
	f.grown.Broadcast()
}
