package batch

import (
	"context"
	"sync"
)

// An Order makes items come to their end in the order of the list, although several are done at a time: what they bring goes into one stream.
// Its methods are called concurrently, but for Turn.
type Order interface {
	// Waits reports whether the item comes to its end only in its turn. The others, which write nothing to the stream, do so when they are done.
	Waits(it *Item) bool
	// Turn is called for each number in its turn, when all items before it have come to their end. Its item may be done already, be under way
	// or not have begun. An error is that of the item, if it has no other.
	Turn(number int64) error
	// Full reports whether so much waits for its turn that no item should be begun but the one whose turn it is.
	Full() bool
}

// turns keeps the Order of a run.
type turns struct {
	run *run

	mu     sync.Mutex
	next   int64            // whose turn it is
	err    error            // what Turn returned for it
	ended  map[int64]ending // of those after it, and briefly of itself
	halted bool             // the run was interrupted in a turn
}

// An ending is how an item that is done came out.
type ending struct {
	it     *Item // nil if it has come to its end already
	octets int64
	err    error
	queued bool // it takes a place in the queue
}

// begin gives the first item its turn.
func (t *turns) begin(ctx context.Context) {
	if t.run.options.Order == nil {
		return
	}
	t.ended = map[int64]ending{}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.turn()
}

func (t *turns) turn() {
	t.err = t.run.options.Order.Turn(t.next)
	t.run.queue.turnTo(t.next)
}

// ended brings an item to its end, now or in its turn. queued is false for a line of the list that is not an item.
func (b *run) ended(ctx context.Context, it *Item, octets int64, err error, queued bool) {
	o := b.options.Order
	switch {
	case o == nil:
		b.end(it, octets, err)
	case o.Waits(it):
		b.turns.enter(ctx, it.Number, ending{it, octets, err, queued})
	default:
		b.end(it, octets, err)
		b.turns.enter(ctx, it.Number, ending{queued: queued})
	}
}

// pass lets an item go by that was done in an earlier run.
func (t *turns) pass(ctx context.Context, it *Item) {
	if t.run.options.Order != nil {
		t.enter(ctx, it.Number, ending{})
	}
}

// enter notes that an item is done, and ends all whose turn it is then. Those who come in the meantime wait: if the stream is slow, so are
// the workers.
func (t *turns) enter(ctx context.Context, number int64, e ending) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.ended[number] = e
	for !t.halted {
		e, ok := t.ended[t.next]
		if !ok {
			return
		}
		delete(t.ended, t.next)
		if e.err == nil {
			e.err = t.err
		}
		if ctx.Err() != nil && e.err != nil {
			t.halted = true // it has not come to an end
			return
		}
		if e.it != nil {
			t.run.end(e.it, e.octets, e.err)
		}
		if e.queued {
			t.run.queue.releaseOne()
		}
		t.next++
		t.turn()
	}
}

// turnTo is called when a turn begins: the item may be begun whatever waits, and there may be room for others.
func (q *queue) turnTo(number int64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.turn = number
	for i, it := range q.postponed {
		if it.Number == number {
			last := len(q.postponed) - 1
			q.postponed[i], q.postponed[last] = q.postponed[last], nil
			q.postponed = q.postponed[:last]
			q.offer(it.server)
			break
		}
	}
	q.work.Broadcast()
}

// postpone puts an item back until its turn.
func (q *queue) postpone(it *Item) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.leave(it)
	it.server.active--
	it.server.push(it)
	if it.Number != q.turn {
		q.postponed = append(q.postponed, it)
	}
	q.offer(it.server)
	q.work.Broadcast() // it has made room
}

func (q *queue) releaseOne() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.release()
}
