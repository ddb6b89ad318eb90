//go:build unix || windows

package hub

import (
	"context"
	"errors"
	"hash/fnv"
	"sync"
	"time"

	"example.org/deref/fetch"
)

// manage claims and releases partitions, so that all workers have the same number, until the period ends. At first, and when nothing runs any more, it
// looks sooner whether the job is finished, so that a small one does not take a second.
func (w *worker) manage() error {
	every := w.job.renewEvery() / 5
	had := 0
	for wait := every / 16; ; wait = min(2*wait, every) {
		s, err := w.job.status(w.ctx)
		switch {
		case err == nil && s.Finished():
			return errFinished
		case w.isDraining():
			if w.reduce(0) == 0 {
				return nil
			}
		case err == nil:
			err = w.balance()
		}
		if err != nil && w.isClosed() {
			return err
		}
		if err != nil && w.ctx.Err() == nil {
			w.report("hub", "error", err)
		}
		if n := w.count(); n != had {
			w.report("partitions", "number", n)
			had = n
		}
		select {
		case <-w.ctx.Done():
			return context.Cause(w.ctx)
		case <-time.After(wait):
		case <-w.quiet:
			wait = every / 8 // while a worker has one host, whose requests pause, each of them ends like this
			fetch.Sleep(w.ctx, wait)
		}
	}
}

// balance moves towards the worker's share.
func (w *worker) balance() error {
	n, err := w.look()
	if err != nil {
		return err
	}
	n = max(n, 1)
	share := (w.job.partitions + n - 1) / n
	if has := w.reduce(share); has >= share {
		return nil
	}
	free, err := w.free()
	if err != nil {
		return err
	}
	// Workers begin at different places, so that they seldom want the same partition.
	h := fnv.New32a()
	h.Write([]byte(w.lease.name))
	begin := int(h.Sum32() % uint32(w.job.partitions))
	w.mu.Lock()
	missing := share - len(w.owned)
	for p := range w.owned {
		delete(free, p)
	}
	w.mu.Unlock()
	var list []int
	for i := 0; i < w.job.partitions && len(list) < missing; i++ {
		if p := (begin + i) % w.job.partitions; free[p] {
			list = append(list, p)
		}
	}
	w.claim(list)
	return nil
}

// free returns the partitions that no living worker besides this one owns.
func (w *worker) free() (map[int]bool, error) {
	list := map[int]bool{}
	for p := range w.job.partitions {
		list[p] = true
	}
	err := w.job.eachState(w.ctx, func(p int, last *state, _ uint64) {
		if w.isAnothers(last.Worker) {
			list[p] = false
			if _, seen := w.seen[last.Worker]; !seen { // the hub may have removed the lease too early
				w.seen[last.Worker] = sighting{at: w.looked}
			}
		}
	})
	return list, err
}

// claim begins to work on those of some partitions that are still free.
func (w *worker) claim(list []int) {
	owners := w.own(list)
	if len(owners) == 0 {
		return
	}
	if err := w.job.replay(w.ctx, owners); err != nil {
		w.report("replay failed", "partitions", len(owners), "error", err)
		for _, o := range owners {
			w.all.Go(func() { o.release() }) // else it is free after the lease
		}
		return
	}
	all := &feed{job: w.job, shares: map[int]*share{}}
	for _, o := range owners {
		o.ctx, o.stop = context.WithCancelCause(w.ctx)
		first := all.share(o)
		w.mu.Lock()
		w.owned[o.partition] = o
		w.mu.Unlock()
		w.all.Go(func() { w.run(o, first) })
	}
	w.all.Go(func() { all.run(w.ctx) })
}

// own makes the worker the owner of those of some partitions that are still free.
func (w *worker) own(list []int) (owners []*owner) {
	var mu sync.Mutex
	severally(len(list), func(i int) {
		if w.ctx.Err() != nil {
			return
		}
		o, err := w.take(list[i])
		switch {
		case err == nil:
			mu.Lock()
			defer mu.Unlock()
			owners = append(owners, o)
		case !errors.Is(err, errOwned):
			w.report("claim failed", "partition", list[i], "error", err)
		}
	})
	return owners
}

// count returns how many partitions the worker has.
func (w *worker) count() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.owned)
}

// reduce begins to release all but a number of partitions, and returns how many the worker still has.
func (w *worker) reduce(to int) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	surplus := len(w.owned) - to
	for _, o := range w.owned {
		if o.isHalting() {
			surplus--
		}
	}
	for _, o := range w.owned {
		if surplus <= 0 {
			break
		}
		if o.halt() {
			surplus--
		}
	}
	return len(w.owned)
}
