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
func (w *worker) run(part *owned, o *owner, first *share) {
	ctx := part.ctx
	list := w.log(part, o.partition)
	list.first = first
	f := batch.NewFrontier(list, w.options.Dir)
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
	ended := w.flushDuplicates(ctx, part, o)
	_, err := f.Run(ctx, w.taskOf(part, o, f), &b)
	part.stop(err)
	<-ended
	f.Close()
	cause := context.Cause(ctx)
	rerr := o.record(nil)
	if rerr == nil {
		rerr = o.release()
	}
	if n := o.finished.Load() - o.recorded.Load(); n > 0 {
		w.options.Report("results lost", "worker", w.options.Name, "partition", o.partition, "number", n)
	}
	if errors.Is(rerr, errOwned) {
		w.options.Report("late write rejected", "worker", w.options.Name, "partition", o.partition)
	} else if rerr != nil || !isPlanned(cause) {
		w.options.Report("partition given up", "worker", w.options.Name, "partition", o.partition, "error", errors.Join(cause, rerr))
	}
	w.mu.Lock()
	delete(w.owned, o.partition)
	w.mu.Unlock()
}

// isPlanned reports whether a partition was released on purpose, or with the lease, whose loss is reported.
func isPlanned(cause error) bool {
	return cause == nil || errors.Is(cause, errReleased) || errors.Is(cause, errFinished) || errors.Is(cause, errLeaseLost) || errors.Is(cause, context.Canceled)
}

// flushDuplicates records duplicates that no result follows, and long pauses at once. The returned channel is closed after ctx has ended.
func (w *worker) flushDuplicates(ctx context.Context, part *owned, o *owner) <-chan struct{} {
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			case <-o.urgent:
			}
			if err := o.record(nil); err != nil {
				part.stop(err)
				return
			}
		}
	}()
	return ended
}

// taskOf returns the Task of a partition's items. An error after ctx has ended means that the item is not finished.
func (w *worker) taskOf(part *owned, o *owner, f *batch.Frontier) batch.Task {
	return func(ctx context.Context, it *batch.Item) (int64, error) {
		if !w.slots.take(ctx, w.options.Rank(it)) {
			return 0, ctx.Err()
		}
		if !part.begin() {
			w.slots.give()
			<-ctx.Done() // others finish what they have begun
			return 0, ctx.Err()
		}
		defer w.slots.give()
		defer part.end()
		if !w.lease.isValid() { // the process was stopped, and its timers have not fired yet
			part.stop(errLeaseLost)
			return 0, errLeaseLost
		}
		return o.withBudget(it, func() (int64, error) {
			links, ids := w.job.Adder(), map[string]bool{}
			links.insist = w.log(part, o.partition).insist
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

// log returns the list of a partition, which insists for as long as part is worked on.
func (w *worker) log(part *owned, partition int) *log {
	return &log{job: w.job, partition: partition, mu: lock.NewLong(), insist: func(send func(context.Context) error) error { return w.insist(part.ctx, send) }}
}

// begin counts a running item. It returns false if the partition is being released.
func (part *owned) begin() bool {
	part.mu.Lock()
	defer part.mu.Unlock()
	if part.halting {
		return false
	}
	part.active++
	return true
}

func (part *owned) end() {
	part.mu.Lock()
	defer part.mu.Unlock()
	if part.active--; part.active == 0 && part.halting {
		part.stop(errReleased)
	}
}

// halt begins nothing new, and releases the partition once nothing is running. It reports whether it was not halted before.
func (part *owned) halt() bool {
	part.mu.Lock()
	defer part.mu.Unlock()
	if part.halting {
		return false
	}
	if part.halting = true; part.active == 0 {
		part.stop(errReleased)
	}
	return true
}

func (part *owned) isHalting() bool {
	part.mu.Lock()
	defer part.mu.Unlock()
	return part.halting
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
