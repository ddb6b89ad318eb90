package batch

import (
	"container/heap"
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
	servers  map[string]*server
	first    *server // next in turn
	last     *server
	ready    int // hosts in turn
	busy     int // running items that have not joined the connection of another
	most     int // items for which the process has file descriptors
	coming   int // workers that have finished an item and will call next: they take hosts in turn without being woken
	later    later
	alarm    *time.Timer
	rings    time.Time // when alarm fires; zero if it is not set
	held     int
	finished bool // the list has ended
	stopped  bool
	circuits
	doing    []*Item             // running items
	limiters map[string]*limiter // by scheme, host and port as written

	turn      int64   // with an Order: the number of the item whose turn it is
	postponed []*Item // items that wait for their turn
}

func (q *queue) init(o *Options) {
	q.options, q.servers, q.coming = o, map[string]*server{}, o.Parallel+o.joining
	q.most = socket.Documents()
	q.work.L, q.room.L = &q.mu, &q.mu
	q.circuits.patience, q.circuits.isOutage, q.circuits.outage = o.Patience, o.IsOutage, o.Outage
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
	it.server = q.serverOf(it)
	it.server.push(it)
	q.offer(it.server)
	return true
}

// next waits for an item to do. It returns nil if there are no more. err means that no request must be sent, since the circuit of the
// server is open.
func (q *queue) next() (it *Item, err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.coming--
	for {
		if q.stopped || q.finished && q.held == 0 {
			return nil, nil
		}
		q.due()
		if s := q.nextServer(); s != nil {
			if it := q.nextItem(s); it != nil {
				return it, q.circuits.check(it)
			}
			continue
		}
		q.setAlarm()
		q.work.Wait()
	}
}

// nextServer removes the host whose turn it is. It returns nil if there is none. A host without a running request comes before others: its
// connection is idle, while another host would need one more. So 2,000 documents of 50 hosts are fetched over 51 connections in place of 101.
func (q *queue) nextServer() *server {
	if q.busy >= q.options.Parallel || len(q.doing) >= q.most {
		return nil
	}
	full := q.isFull()
	at, last := &q.first, (*server)(nil)
	for *at != nil && (full && (*at).first.Number != q.turn || !full && (*at).active > 0) {
		last = *at
		at = &last.after
	}
	if *at == nil && !full {
		at, last = &q.first, nil
	}
	s := *at
	if s == nil {
		return nil
	}
	if *at = s.after; s == q.last {
		q.last = last
	}
	s.turn, s.after = false, nil
	q.ready--
	return s
}

// nextItem removes an item from the queue of s. It returns nil if s must not get a request now.
func (q *queue) nextItem(s *server) *Item {
	if !s.free.IsZero() || !q.mayStart(s.first) {
		q.offer(s)
		return nil
	}
	it := q.take(s)
	it.Postponed = false
	q.begin(it)
	if s.host != "" && q.options.PauseOf != nil && !q.circuits.isOpen(it) { // the pause applies to concurrent requests, too
		s.pauseFor(q.options.PauseOf(it))
	}
	if it.began.IsZero() {
		it.began = time.Now()
	}
	q.offer(s)
	return it
}

// take removes the first item of s. After a refusal while nothing else was requested, it takes the last item that was never refused in this way, if
// there is one, which shows whether the server refuses everything. Documents that are always refused often stand together in the list, such as those of
// one directory: if the next one were taken, only they would be requested.
func (q *queue) take(s *server) *Item {
	before, it := (*Item)(nil), s.first
	if it.alone > 0 && q.isRefusing(it) && !q.isFull() {
		for b := s.first; b.after != nil; b = b.after {
			if next := b.after; next.alone == 0 && !next.Postponed && sameServer(next.URI, s.first.URI) {
				before, it = b, next
			}
		}
	}
	if before == nil {
		s.first = it.after
	} else {
		before.after = it.after
	}
	if s.last == it {
		s.last = before
	}
	return it
}

// isRefusing reports whether an item's server has answered nothing since it refused a lone request.
func (q *queue) isRefusing(it *Item) bool {
	x := q.limiters[serverName(it.URI)]
	return x != nil && !x.since.IsZero()
}

// isFull reports whether only the item whose turn it is may start.
func (q *queue) isFull() bool { return q.options.Order != nil && q.options.Order.Full() }

// finish records the result of a try. If again is set, the item is put back after wait.
func (q *queue) finish(it *Item, err error, wait time.Duration, again bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.coming++
	if !isCircuitOpen(err) {
		if q.circuits.isAnswer(err) {
			q.recordAnswer(it)
		}
		q.circuits.record(it, err)
		q.pauseAfter(it, err)
	}
	q.remove(it)
	if again {
		q.retryLater(it, wait)
		return
	}
	s := it.server
	if q.options.Order == nil { // with an Order, after its turn
		q.release()
	}
	q.offer(s)
}

// retryLater puts an item back after a while. The caller holds q.mu.
func (q *queue) retryLater(it *Item, wait time.Duration) {
	s := it.server
	s.delayed++
	heap.Push(&q.later, delayed{time.Now().Add(wait), s, it})
	q.work.Signal()
	q.offer(s)
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
	if q.alarm != nil {
		q.alarm.Stop()
	}
	q.work.Broadcast()
	q.room.Broadcast()
}
