package batch

import (
	"container/heap"
	"strings"
	"sync"
	"time"

	"example.org/deref/fetch/retry"
	"example.org/deref/uri"
)

// A queue holds the Window: the items that wait, host by host, and the count of those that are being done.
type queue struct {
	options *Options
	mu      sync.Mutex
	work    sync.Cond // something can be taken, or nothing ever will
	room    sync.Cond // the list can be read on
	servers map[string]*server
	first   *server // whose turn is next
	last    *server
	later   later
	alarm   *time.Timer
	rings   time.Time // when alarm does, zero if it does not
	held    int
	ended   bool // the list is
	stopped bool
	circuits
	doing   []*Item            // by the Task
	rations map[string]*ration // by scheme, host and port as written

	turn      int64   // with an Order: the number of the item whose turn it is
	postponed []*Item // that wait for their turn
}

// A server is the queue of one host.
type server struct {
	host        string
	first, last *Item
	active      int       // items that are being done
	delayed     int       // items that are tried again later
	free        time.Time // not to be asked before; zero is at once
	turn        bool      // it stands in the row of hosts
	waits       bool      // it stands in later
	after       *server

	answered bool    // good has been
	good     uri.URI // the latest that was
}

func (q *queue) init(o *Options) {
	q.options, q.servers = o, map[string]*server{}
	q.work.L, q.room.L = &q.mu, &q.mu
	q.circuits.patience = o.Patience
}

// put adds an item and waits for room. It reports whether more is wanted.
func (q *queue) put(it *Item) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.held >= q.options.Window {
		for q.held > q.options.Window/2 && !q.stopped { // filled by halves: not a switch of goroutines for every item
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

// serverOf returns the queue of an item's host. What has no host, as file: and data:, has one queue for all.
func (q *queue) serverOf(it *Item) *server {
	host := strings.ToLower(it.URI.Hostname())
	s := q.servers[host]
	if s == nil {
		s = &server{host: host}
		q.servers[host] = s
	}
	return s
}

// push adds an item to those of its host, which are in the order of the list.
func (s *server) push(it *Item) {
	at := &s.first
	if s.last != nil && s.last.Number < it.Number {
		at = &s.last.after
	}
	for *at != nil && (*at).Number < it.Number {
		at = &(*at).after
	}
	it.after = *at
	if *at = it; it.after == nil {
		s.last = it
	}
}

// offer gives a host its turn, if it has something to do and may do it.
func (q *queue) offer(s *server) {
	switch {
	case s.turn || s.waits:
	case !s.free.IsZero():
		s.waits = true
		heap.Push(&q.later, delayed{s.free, s, nil})
		q.work.Signal() // somebody must set the alarm
	case s.first == nil:
		if s.active == 0 && s.delayed == 0 {
			delete(q.servers, s.host)
		}
	case s.host != "" && s.active >= q.options.PerHost:
	case !q.may(s.first):
	default:
		s.turn, s.after = true, nil
		if q.last == nil {
			q.first = s
		} else {
			q.last.after = s
		}
		q.last = s
		q.work.Signal()
	}
}

// may reports whether an item can be begun now. If it cannot, the end of another one offers its host again.
func (q *queue) may(it *Item) bool {
	if it.Postponed && it.Number != q.turn {
		return false
	}
	if len(q.rations) == 0 {
		return true
	}
	x := q.rations[serverName(it.URI)]
	return x == nil || x.active < x.limit
}

// take waits for an item to be done; nil says that there is nothing more to do. err says that it is not to be done now, since
// its host is left alone.
func (q *queue) take() (it *Item, err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for {
		if q.stopped || q.ended && q.held == 0 {
			return nil, nil
		}
		q.due()
		if s := q.pick(); s != nil {
			if it := q.next(s); it != nil {
				return it, q.circuits.check(it)
			}
			continue
		}
		q.setAlarm()
		q.work.Wait()
	}
}

// pick takes the host out of the row whose turn it is. It returns nil if there is none.
func (q *queue) pick() *server {
	at, last := &q.first, (*server)(nil)
	if o := q.options.Order; o != nil && o.Full() {
		for *at != nil && (*at).first.Number != q.turn {
			last = *at
			at = &last.after
		}
	}
	s := *at
	if s == nil {
		return nil
	}
	if *at = s.after; s == q.last {
		q.last = last
	}
	s.turn, s.after = false, nil
	return s
}

// next takes an item of s; nil if it must be left alone in the meantime.
func (q *queue) next(s *server) *Item {
	if !s.free.IsZero() || !q.may(s.first) {
		q.offer(s)
		return nil
	}
	it := s.first
	s.first = it.after
	if s.first == nil {
		s.last = nil
	}
	s.active++
	it.Postponed = false
	q.begin(it)
	if s.host != "" && q.options.PauseOf != nil { // also between requests that are under way at the same time
		s.leave(q.options.PauseOf(it))
	}
	if it.began.IsZero() {
		it.began = time.Now()
	}
	q.offer(s)
	return it
}

// finish ends a try. With again the item is put back after a while.
func (q *queue) finish(it *Item, err error, wait time.Duration, again bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !left(err) {
		if isAnswer(err) {
			q.answer(it)
		}
		q.circuits.judge(it, err)
		q.rest(it, err)
	}
	q.leave(it)
	if again {
		q.again(it, wait)
		return
	}
	s := it.server
	s.active--
	if q.options.Order == nil { // else when its turn is over
		q.release()
	}
	q.offer(s)
}

// again puts an item back after a while; q.mu is held.
func (q *queue) again(it *Item, wait time.Duration) {
	s := it.server
	s.active--
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
	if q.held == 0 && q.ended {
		q.work.Broadcast()
	}
}

// rest leaves a host alone after an answer: for the Pause, and for as long as it has asked for.
func (q *queue) rest(it *Item, err error) {
	s := it.server
	if s.host == "" {
		return
	}
	pause := q.options.Pause
	if q.options.PauseOf != nil {
		pause = max(pause, q.options.PauseOf(it))
	}
	if after := retry.After(err); after <= retry.MaxAfter {
		pause = max(pause, after)
	}
	s.leave(pause)
}

// leave leaves a host alone for a while, or longer if it is to be left longer already.
func (s *server) leave(pause time.Duration) {
	if pause <= 0 {
		return
	}
	if free := time.Now().Add(pause); free.After(s.free) {
		s.free = free
	}
}

// end says that the list has no more.
func (q *queue) end() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.ended = true
	q.work.Broadcast()
}

// stop lets everybody go.
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
