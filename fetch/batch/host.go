package batch

import (
	"strings"
	"sync/atomic"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/retry"
	"example.org/deref/uri"
)

// A host is the queue of one host, whatever its servers: see server. Items are in the order of the list.
type host struct {
	name        string // lower case; "" stands for all URIs without a host, such as file: and data:
	first, last *Item
	active      int         // running items
	joined      int         // those of them that use the connection of another one
	own         atomic.Bool // items join no connections
	delayed     int         // items waiting for a retry
	until       time.Time   // no request before this time; zero is at once
	turn        bool        // it is in the list of hosts
	waits       bool        // it is offered at the end of its pause
	after       *host
	good        uri.URI // the latest URI that got a response
	quota
	growth
}

// A growth is what a host has shown about more requests at a time than PerHost.
type growth struct {
	more  int           // requests at a time beyond PerHost
	count int           // documents since more changed
	sum   time.Duration // the time that they took
	least time.Duration // the smallest mean of such a time
	ended bool          // more does not change any more
}

const (
	// grownAfter is the number of documents after which a host may get one more request at a time.
	grownAfter = 32
	// noSlower is how much longer, in percent, documents may take then.
	noSlower = 20
)

// note counts a document, which took this long while the host had as many requests as it may have. Their number grows by one, up to most more, as long
// as documents take no longer than with fewer. Else it is one less, and stays so. A server that refuses a request gets PerHost at most (server.limit).
func (g *growth) note(took time.Duration, most int) {
	if g.sum += took; g.count < grownAfter-1 {
		g.count++
		return
	}
	mean := g.sum / grownAfter
	g.count, g.sum = 0, 0
	switch {
	case g.least > 0 && mean > g.least*(100+noSlower)/100:
		g.more, g.ended = max(0, g.more-1), true
	case g.more == most:
		g.ended = true
	default:
		g.more++
	}
	if g.least == 0 || mean < g.least {
		g.least = mean
	}
}

// maxIdle is how many hosts without items are remembered, since they have responded.
const maxIdle = 1024

// hostOf returns the name of a URI's host.
func hostOf(u uri.URI) string { return strings.ToLower(u.Hostname()) }

// hostFor returns the queue of an item's host.
func (q *queue) hostFor(it *Item) *host {
	name := hostOf(it.URI)
	h := q.hosts[name]
	if h == nil {
		h = &host{name: name}
		if q.options.Rests != nil && name != "" {
			h.until = q.options.Rests.Rest(name)
		}
		q.hosts[name] = h
	}
	return h
}

// push adds an item to the queue of its host, in the order of the list.
func (h *host) push(it *Item) {
	at := &h.first
	if h.last != nil && h.last.Number < it.Number {
		at = &h.last.after
	}
	for *at != nil && (*at).Number < it.Number {
		at = &(*at).after
	}
	it.after = *at
	if *at = it; it.after == nil {
		h.last = it
	}
}

// offer puts a host into the queue of turns if it has an item that may start.
func (q *queue) offer(h *host) {
	switch {
	case h.turn || h.waits:
	case !h.until.IsZero():
		h.waits = true
		q.after(time.Until(h.until), func() {
			if h.waits = false; time.Until(h.until) <= 0 { // else the pause was extended meanwhile
				h.until = time.Time{}
			}
			q.offer(h)
		})
	case h.first == nil:
		if h.active == 0 && h.delayed == 0 && (h.good.IsZero() || len(q.hosts) > maxIdle) {
			delete(q.hosts, h.name)
		}
	case h.active-h.joined >= q.perHost(h):
	case !q.mayStart(h.first):
	default:
		h.turn, h.after = true, nil
		if q.last == nil {
			q.first = h
		} else {
			q.last.after = h
		}
		q.last = h
		if q.ready++; q.ready > q.coming {
			q.work.Signal()
		}
	}
}

// perHost returns how many items of h may run at a time.
func (q *queue) perHost(h *host) int {
	if h.name == "" {
		return q.options.local
	}
	return q.options.PerHost + h.more
}

// pauseAfter pauses a host after a response: for Pause, for as long as it has requested, and for the pause of the server.
func (q *queue) pauseAfter(it *Item, err error) {
	h := it.host
	if h.name == "" {
		return
	}
	pause := q.options.Pause
	if q.options.PauseOf != nil {
		pause = max(pause, q.options.PauseOf(it.URI))
	}
	if x := q.serverOf(it); x != nil {
		pause = max(pause, x.pause)
	}
	if after := retry.After(err); after <= retry.MaxAfter {
		pause = max(pause, after)
	}
	q.pauseFor(h, pause)
}

// A quota is what a host has told about how many requests it accepts.
type quota struct {
	left    int64     // how many more may start; 0 is any number, since a pause begins when none is left
	renewed time.Time // when it accepts more
}

// heed notes how many requests the host of u accepts besides those that are running, since it may not have counted them. A pause begins if there are none.
func (q *queue) heed(u uri.URI, told fetch.Quota) {
	q.mu.Lock()
	defer q.mu.Unlock()
	h := q.hosts[hostOf(u)]
	if h == nil || told.Reset > retry.MaxAfter {
		return
	}
	h.renewed = time.Now().Add(told.Reset)
	if h.left = max(0, told.Remaining-int64(max(0, h.active-1))); h.left == 0 {
		q.pauseFor(h, told.Reset)
	}
}

// spend counts a request that starts.
func (q *queue) spend(h *host) {
	if h.left == 0 {
		return
	}
	if h.left--; h.left == 0 {
		q.pauseFor(h, time.Until(h.renewed))
	}
}

// pauseFor pauses a host, unless it is paused for longer already.
func (q *queue) pauseFor(h *host, pause time.Duration) {
	if pause <= 0 {
		return
	}
	if until := time.Now().Add(pause); until.After(h.until) {
		h.until = until
		if q.options.Rests != nil {
			q.options.Rests.SetRest(h.name, until)
		}
	}
}
