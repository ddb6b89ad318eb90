//go:build unix || windows

package hub

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"sync"
	"time"

	"example.org/deref/fetch/batch"
	"example.org/deref/fetch/internal/lock"
	"example.org/deref/uri"
)

// run works on a partition until its context ends, and releases it. first are the records that a feed reads.
func (w *worker) run(o *owner, first *share) {
	f := batch.NewFrontier(&log{job: w.job, partition: o.partition, insist: o.insist, first: first, mu: lock.NewLong()}, w.options.Dir)
	b := w.options.Batch
	b.Parallel, b.Journal, b.Rests = w.options.Connections, o, o
	b.Kept = o.kept
	b.Commit = func([]*batch.Item) error {
		err := w.sync.do()
		if err != nil {
			w.mu.Lock()
			w.broken = err
			w.mu.Unlock()
			w.stop(err)
		}
		return err
	}
	b.Done = func(it *batch.Item, _ int64, err error) {
		o.finished.Add(1)
		if w.options.Done != nil {
			w.options.Done(it, err)
		}
	}
	ended := o.flushDuplicates()
	_, err := f.Run(o.ctx, w.taskOf(o, f), &b)
	o.stop(err)
	<-ended
	f.Close()
	cause := context.Cause(o.ctx)
	rerr := o.record(nil)
	if rerr == nil {
		rerr = o.release()
	}
	if n := o.finished.Load() - o.recorded.Load(); n > 0 {
		w.report("results lost", "partition", o.partition, "number", n)
	}
	if errors.Is(rerr, errOwned) {
		w.report("late write rejected", "partition", o.partition)
	} else if rerr != nil || !isAny(cause, errReleased, errFinished, errLeaseLost, context.Canceled) { // not on purpose, nor with the lease, whose loss is reported
		w.report("partition given up", "partition", o.partition, "error", errors.Join(cause, rerr))
	}
	w.mu.Lock()
	delete(w.owned, o.partition)
	w.mu.Unlock()
}

// flushDuplicates records duplicates that no result follows, and long pauses at once. The returned channel is closed after the work has ended.
func (o *owner) flushDuplicates() <-chan struct{} {
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		for {
			select {
			case <-o.ctx.Done():
				return
			case <-tick.C:
			case <-o.urgent:
			}
			if err := o.record(nil); err != nil {
				o.stop(err)
				return
			}
		}
	}()
	return ended
}

// taskOf returns the Task of a partition's items. An error after ctx has ended means that the item is not finished.
func (w *worker) taskOf(o *owner, f *batch.Frontier) batch.Task {
	return func(ctx context.Context, it *batch.Item) (int64, error) {
		if !w.slots.take(ctx, w.options.Rank(it)) {
			return 0, ctx.Err()
		}
		if !o.begin() {
			w.slots.give()
			<-ctx.Done() // others finish what they have begun
			return 0, ctx.Err()
		}
		defer w.slots.give()
		defer o.end()
		if !w.lease.isValid() { // the process was stopped, and its timers have not fired yet
			o.stop(errLeaseLost)
			return 0, errLeaseLost
		}
		return o.withBudget(it, func() (int64, error) {
			links, ids := w.job.Adder(), map[string]bool{}
			links.insist = o.insist
			size, err := w.task(ctx, it, func(u uri.URI, note json.RawMessage) (bool, error) {
				u = u.ASCII()
				id := digest(sha256.Sum256([]byte(u.WithoutPassword().String())))
				if w.recent.has(id) || ids[id] {
					return false, nil
				}
				if w.job.partitionOf(u) == o.partition {
					if known, err := f.Has(u); known || err != nil || o.isSpent(u) {
						return false, err
					}
				}
				ids[id] = true
				return true, links.Add(u, note)
			})
			if _, ferr := links.Flush(); ferr != nil {
				return size, ferr
			}
			w.recent.add(ids)
			return size, err
		})
	}
}

// insist is worker.insist for as long as the partition is worked on.
func (o *owner) insist(send func(context.Context) error) error { return o.worker.insist(o.ctx, send) }

// begin counts a running item. It returns false if the partition is being released.
func (o *owner) begin() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.halting {
		return false
	}
	o.active++
	return true
}

func (o *owner) end() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.active--; o.active == 0 && o.halting {
		o.stop(errReleased)
	}
}

// halt begins nothing new, and releases the partition once nothing is running. It reports whether it was not halted before.
func (o *owner) halt() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.halting {
		return false
	}
	if o.halting = true; o.active == 0 {
		o.stop(errReleased)
	}
	return true
}

func (o *owner) isHalting() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.halting
}

// A syncing lets callers of do at the same moment share one call of sync, which begins after each of them has called.
type syncing struct {
	sync func() error

	mu   sync.Mutex
	next *syncCall // has not begun
	one  lock.Long
}

type syncCall struct {
	once sync.Once
	err  error
}

func (s *syncing) do() error {
	if s.sync == nil {
		return nil
	}
	s.mu.Lock()
	if s.next == nil {
		s.next = &syncCall{}
	}
	c := s.next
	s.mu.Unlock()
	s.one.Lock()
	defer s.one.Unlock()
	c.once.Do(func() {
		s.mu.Lock()
		s.next = nil
		s.mu.Unlock()
		c.err = s.sync()
	})
	return c.err
}
