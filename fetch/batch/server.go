package batch

import (
	"container/heap"
	"strings"
	"sync/atomic"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/retry"
	"example.org/deref/uri"
)

// A server is the queue of one host.
type server struct {
	host        string
	first, last *Item
	active      int         // running items
	joined      int         // those of them that use the connection of another one
	own         atomic.Bool // items join no connections
	delayed     int         // items waiting for a retry
	free        time.Time   // no request before this time; zero is at once
	turn        bool        // it is in the list of hosts
	waits       bool        // it is in later
	after       *server

	answered bool    // good is set
	good     uri.URI // the latest URI that got a response
}

// hostOf returns the name of a URI's host in servers.
func hostOf(u uri.URI) string { return strings.ToLower(u.Hostname()) }

// serverOf returns the queue of an item's host. URIs without a host, such as file: and data:, share one queue.
func (q *queue) serverOf(it *Item) *server {
	host := hostOf(it.URI)
	s := q.servers[host]
	if s == nil {
		s = &server{host: host}
		q.servers[host] = s
	}
	return s
}

// push adds an item to the queue of its host, in the order of the list.
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

// offer puts a host into the queue of turns if it has an item that may start.
func (q *queue) offer(s *server) {
	switch {
	case s.turn || s.waits:
	case !s.free.IsZero():
		s.waits = true
		heap.Push(&q.later, delayed{s.free, s, nil})
		q.work.Signal() // a worker must set the alarm
	case s.first == nil:
		if s.active == 0 && s.delayed == 0 {
			delete(q.servers, s.host)
		}
	case s.active-s.joined >= q.perHost(s):
	case !q.mayStart(s.first):
	default:
		s.turn, s.after = true, nil
		if q.last == nil {
			q.first = s
		} else {
			q.last.after = s
		}
		q.last = s
		if q.ready++; q.ready > q.coming {
			q.work.Signal()
		}
	}
}

// perHost returns how many items of s may run at a time.
func (q *queue) perHost(s *server) int {
	if s.host == "" {
		return q.options.local
	}
	return q.options.PerHost
}

// mayStart reports whether an item can be started now. If not, the end of another item offers its host again.
func (q *queue) mayStart(it *Item) bool {
	if it.Postponed && it.Number != q.turn {
		return false
	}
	if len(q.limiters) == 0 {
		return true
	}
	x := q.limiters[serverName(it.URI)]
	return x == nil || x.active < x.limit
}

// pauseAfter pauses a host after a response: for Pause, and for as long as it has requested.
func (q *queue) pauseAfter(it *Item, err error) {
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
	s.pauseFor(pause)
}

// heed pauses the host of u if it may accept no request besides those that are running, until it accepts more.
func (q *queue) heed(u uri.URI, quota fetch.Quota) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if s := q.servers[hostOf(u)]; s != nil && quota.Remaining < int64(max(1, s.active)) && quota.Reset <= retry.MaxAfter {
		s.pauseFor(quota.Reset)
	}
}

// pauseFor pauses a host, unless it is paused for longer already.
func (s *server) pauseFor(pause time.Duration) {
	if pause <= 0 {
		return
	}
	if free := time.Now().Add(pause); free.After(s.free) {
		s.free = free
	}
}
