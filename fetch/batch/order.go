package batch

import (
	"context"
	"slices"
	"sync"
)

// An Order finishes items in the order of the list although several are done at a time, because their results go into one stream. Its
// methods are called concurrently, except Turn.
type Order interface {
	// Waits reports whether the item must wait for its turn to finish. Others, which write nothing to the stream, finish when they are done.
	Waits(it *Item) bool
	// Turn is called for each number in order, when all items before it are finished. Its item may be done, running or not started. An
	// error becomes that of the item, if it has no other.
	Turn(number int64) error
	// Full reports whether so many results wait that only the item whose turn it is should be started.
	Full() bool
}

// turns applies the Order of a run.
type turns struct {
	run *run

	mu       sync.Mutex
	next     int64            // number of the item whose turn it is
	err      error            // the result of Turn for it
	finished map[int64]ending // results of later items, and briefly of this one
	halted   bool             // the run was interrupted during a turn
}

// An ending is the result of a done item.
type ending struct {
	it     *Item // nil if it is finished already
	size   int64
	err    error
	queued bool // it occupies a place in the queue
}

// begin starts the first item's turn.
func (t *turns) begin() {
	if t.run.options.Order == nil {
		return
	}
	t.finished = map[int64]ending{}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.turn()
}

func (t *turns) turn() {
	t.err = t.run.options.Order.Turn(t.next)
	t.run.queue.turnTo(t.next)
}

// finish finishes an item, now or in its turn. queued is false for an invalid line of the list.
func (b *run) finish(ctx context.Context, it *Item, size int64, err error, queued bool) {
	o := b.options.Order
	switch {
	case o == nil:
		b.count(it, size, err)
	case o.Waits(it):
		b.turns.enter(ctx, it.Number, ending{it, size, err, queued})
	default:
		b.count(it, size, err)
		b.turns.enter(ctx, it.Number, ending{queued: queued})
	}
}

// enter records that an item is done, and finishes all items that are next in order. Other callers wait meanwhile: if the stream is slow,
// so are the workers.
func (t *turns) enter(ctx context.Context, number int64, e ending) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.finished[number] = e
	for !t.halted {
		e, ok := t.finished[t.next]
		if !ok {
			return
		}
		delete(t.finished, t.next)
		if e.err == nil {
			e.err = t.err
		}
		if ctx.Err() != nil && e.err != nil {
			t.halted = true // the item is not finished
			return
		}
		if e.it != nil {
			t.run.count(e.it, e.size, e.err)
		}
		if e.queued {
			t.run.queue.releaseOne()
		}
		t.next++
		t.turn()
	}
}

// turnTo is called when a turn begins. Its item may start however many others wait, and there may be room for more.
func (q *queue) turnTo(number int64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.turn = number
	if i := slices.IndexFunc(q.postponed, func(it *Item) bool { return it.Number == number }); i >= 0 {
		it := q.postponed[i]
		q.postponed = slices.Delete(q.postponed, i, i+1)
		q.offer(it.host)
	}
	q.work.Broadcast()
}

// postpone puts an item back until its turn. It has had a response.
func (q *queue) postpone(it *Item) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.coming++
	q.record(it, nil)
	q.pauseAfter(it, nil)
	q.remove(it)
	it.host.push(it)
	if it.Number != q.turn {
		q.postponed = append(q.postponed, it)
	}
	q.offer(it.host)
	q.work.Broadcast() // another item of the server may run
}

func (q *queue) releaseOne() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.release()
}
