package batch

import (
	"slices"
	"sync"
	"time"

	"example.org/deref/fetch/internal/socket"
)

// A queue holds the Window: the waiting items by host, and the number of running ones.
type queue struct {
	options  *Options
	mu       sync.Mutex
	work     sync.Cond // an item may be available, or there will be no more items
	room     sync.Cond // there is room for more of the list
	hosts    map[string]*host
	first    *host // next in turn
	last     *host
	ready    int                      // hosts in turn
	busy     int                      // running items that have not joined the connection of another
	most     int                      // items for which the process has file descriptors
	coming   int                      // workers that have finished an item and will call next: they take hosts in turn without being woken
	timers   map[*time.Timer]struct{} // of after
	held     int
	finished bool // the list has ended
	stopped  bool
	doing    []*Item            // running items
	servers  map[string]*server // by serverName

	turn      int64   // with an Order: the number of the item whose turn it is
	postponed []*Item // items that wait for their turn
}

func (q *queue) init(o *Options) {
	q.options, q.coming = o, o.Parallel+o.joining
	q.hosts, q.servers, q.timers = map[string]*host{}, map[string]*server{}, map[*time.Timer]struct{}{}
	q.most = socket.Documents()
	q.work.L, q.room.L = &q.mu, &q.mu
}

// put adds an item and waits for room. It reports whether more items are accepted.
func (q *queue) put(it *Item) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.held >= q.options.Window {
		for q.held > q.options.Window/2 && !q.stopped { // wait for half of the Window, to save a goroutine switch per item
			q.room.Wait()
		}
	}
	if q.stopped {
		return false
	}
	q.held++
	it.host = q.hostFor(it)
	it.host.push(it)
	q.offer(it.host)
	return true
}

// next waits for an item to do. It returns nil if there are no more. err means that no request must be sent, since the server
// is down.
func (q *queue) next() (it *Item, err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.coming--
	for {
		if q.stopped || q.finished && q.held == 0 {
			return nil, nil
		}
		if h := q.nextHost(); h != nil {
			if it := q.nextItem(h); it != nil {
				return it, q.check(it)
			}
			continue
		}
		q.work.Wait()
	}
}

// nextHost removes the host whose turn it is. It returns nil if there is none. A host without a running request comes before others: its
// connection is idle, while another host would need one more. So 2,000 documents of 50 hosts are fetched over 51 connections in place of 101.
func (q *queue) nextHost() *host {
	if q.busy >= q.options.Parallel || len(q.doing) >= q.most {
		return nil
	}
	full := q.isFull()
	at, last := &q.first, (*host)(nil)
	for *at != nil && (full && (*at).first.Number != q.turn || !full && (*at).active > 0) {
		last = *at
		at = &last.after
	}
	if *at == nil && !full {
		at, last = &q.first, nil
	}
	h := *at
	if h == nil {
		return nil
	}
	if *at = h.after; h == q.last {
		q.last = last
	}
	h.turn, h.after = false, nil
	q.ready--
	return h
}

// nextItem removes an item from the queue of h. It returns nil if h must not get a request now.
func (q *queue) nextItem(h *host) *Item {
	if !h.until.IsZero() || !q.mayStart(h.first) {
		q.offer(h)
		return nil
	}
	it := q.take(h)
	it.Postponed = false
	q.doing = append(q.doing, it)
	h.active++
	q.busy++
	q.spend(h)
	if h.name != "" && q.options.PauseOf != nil && !q.isDown(it) { // the pause applies to concurrent requests, too
		q.pauseFor(h, q.options.PauseOf(it.URI))
	}
	if it.began.IsZero() {
		it.began = time.Now()
	}
	q.offer(h)
	return it
}

// take removes the first item of h. After a refusal while nothing else was requested, it takes the last item that was never refused in this way, if
// there is one, which shows whether the server refuses everything. Documents that are always refused often stand together in the list, such as those of
// one directory: if the next one were taken, only they would be requested.
func (q *queue) take(h *host) *Item {
	before, it := (*Item)(nil), h.first
	if x := q.serverOf(it); it.alone > 0 && x != nil && !x.since.IsZero() && !q.isFull() {
		for b := h.first; b.after != nil; b = b.after {
			if next := b.after; next.alone == 0 && !next.Postponed && sameServer(next.URI, h.first.URI) {
				before, it = b, next
			}
		}
	}
	if before == nil {
		h.first = it.after
	} else {
		before.after = it.after
	}
	if h.last == it {
		h.last = before
	}
	it.after = nil // the goroutine that does it holds it until its next item, and must not hold those after it
	return it
}

// isFull reports whether only the item whose turn it is may start.
func (q *queue) isFull() bool { return q.options.Order != nil && q.options.Order.Full() }

// finish records the result of a try, and reports whether nothing is left in the queue. If again is set, the item is put back after wait.
func (q *queue) finish(it *Item, err error, wait time.Duration, again bool) (empty bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.coming++
	if !isServerDown(err) {
		q.record(it, err)
		q.pauseAfter(it, err)
	}
	if h := it.host; !h.ended && q.options.more > 0 && err == nil && h.active == q.perHost(h) && it.series == nil && it.refusedAt.IsZero() {
		h.note(time.Since(it.began), q.options.more)
	}
	q.remove(it)
	if again {
		q.retryLater(it, wait)
		return false
	}
	if q.options.Order == nil { // with an Order, after its turn
		q.release()
	}
	q.offer(it.host)
	return q.held == 0
}

// retryLater puts an item back after a while. The caller holds q.mu.
func (q *queue) retryLater(it *Item, wait time.Duration) {
	h := it.host
	h.delayed++
	q.after(wait, func() {
		h.delayed--
		h.push(it) // before items that were never started
		q.offer(h)
	})
	q.offer(h)
}

// after calls do, with the lock, after a while, unless the queue is stopped before. The caller holds q.mu.
func (q *queue) after(wait time.Duration, do func()) {
	if q.stopped {
		return
	}
	var t *time.Timer
	t = time.AfterFunc(wait, func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		delete(q.timers, t)
		do()
		q.work.Signal() // also if the host is in turn already: with an Order, its first item may start now
	})
	q.timers[t] = struct{}{}
}

// refused puts an item back if the server refused it temporarily, if it needs a connection of its own, or if there was no file descriptor for
// it, and reports whether it did.
func (q *queue) refused(it *Item, err error) bool {
	q.mu.Lock() // until the item is put back: a refusal at the same moment must not count it as a request that is served
	defer q.mu.Unlock()
	if it.Final {
		return false
	}
	wait, again := time.Duration(0), false
	switch {
	case it.joined && it.own:
		again = true
	case socket.IsExhausted(err):
		wait, again = q.narrow(it)
	case isRefusal(err) && it.host.name != "":
		wait, again = q.repeat(it, err)
	}
	if again {
		q.coming++
		q.clearProbe(it)
		q.pauseAfter(it, err)
		q.remove(it)
		q.retryLater(it, wait)
	}
	return again
}

// narrow lowers the number of running items to those that have their descriptors. If there are none, the item is repeated a few times, since the
// process and its system use descriptors for moments.
func (q *queue) narrow(it *Item) (wait time.Duration, again bool) {
	if others := len(q.doing) - 1; others > 0 {
		q.most = min(q.most, others)
		return 0, true
	}
	it.alone++
	return firstPause, it.alone < mostAlone
}

// remove removes an item from those that are running.
func (q *queue) remove(it *Item) {
	if i := slices.Index(q.doing, it); i >= 0 {
		q.doing = slices.Delete(q.doing, i, i+1)
	}
	it.host.active--
	q.busy--
	q.leave(it)
}

// release makes room for another item of the list.
func (q *queue) release() {
	q.held--
	if q.held == q.options.Window/2 || q.stopped {
		q.room.Signal()
	}
	if q.held == 0 && q.finished {
		q.work.Broadcast()
	}
}

// end marks the end of the list.
func (q *queue) end() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.finished = true
	q.work.Broadcast()
}

// stop ends all waiting.
func (q *queue) stop() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.stopped = true
	for t := range q.timers {
		t.Stop()
	}
	q.work.Broadcast()
	q.room.Broadcast()
}
