package hub_test

import (
	"cmp"
	"slices"
	"testing"
)

// This file is a model of how workers own a partition (own.go): all orders of claiming it, fetching, writing, losing messages and replies, losing the
// lease, being killed and taking over, for two workers. A frozen worker is one that takes no step for a while. Each step is one that nothing divides.

const (
	modelWorkers = 2
	modelLeases  = 3 // each worker has one at first; one of them gets another
	modelItems   = 2
	modelLog     = 5
	modelNet     = 2

	fetched = 1 // a document is on the disk, but not synced
	durable = 2
)

// A modelState is comparable, so that each is visited once.
type modelState struct {
	log     [modelLog]modelMessage
	length  uint8                  // messages in log; the sequence number of a message is its index + 1
	net     [modelNet]modelRequest // from 0, without order; each is delivered once, or lost
	workers [modelWorkers]modelWorker
	leases  uint8                 // that were used
	dead    [modelLeases + 1]bool // by lease: others may take over
	disk    [modelWorkers][modelItems + 1]uint8
	killed  [2]bool // a worker, the hub; each once

	room, items uint8 // limits, equal in all states
}

// A modelMessage is a state: see own.go.
type modelMessage struct{ lease, item uint8 } // lease 0 is free, item 0 is none

type modelRequest struct {
	from, after uint8 // 1 + the worker, or 0 if this is not a request; the expected sequence number
	message     modelMessage
}

type modelWorker struct {
	lease, last           uint8 // last is that of owner
	owns, waits, rejected bool  // waits is for the reply to request
	request               modelRequest
	done                  [modelItems + 1]bool
}

// A mutant is a mistake that the model must find, or "".
type mutant string

// violation returns which promise does not hold, or "".
func (s *modelState) violation() string {
	var results [modelItems + 1]int
	for _, m := range s.log[:s.length] {
		results[m.item]++
		switch {
		case m.item == 0:
		case results[m.item] > 1:
			return "a URI has two results"
		case s.disk[workerOfLease(m.lease)][m.item] != durable:
			return "a result without its document"
		}
	}
	for _, w := range s.workers {
		for item := uint8(1); w.owns && item <= s.items; item++ {
			if w.done[item] && results[item] == 0 {
				return "a URI that is skipped without a result"
			}
		}
	}
	return ""
}

func workerOfLease(lease uint8) uint8 { return (lease - 1) % modelWorkers }

// next passes each state that may follow to f.
func (s modelState) next(is mutant, f func(modelState)) {
	for i := range s.net {
		if s.net[i].from != 0 {
			s.deliver(is, i, f)
		}
	}
	if is == "lost tail" && s.length > 0 && !s.killed[1] {
		n := s
		n.killed[1] = true
		n.length--
		n.log[n.length] = modelMessage{}
		f(n)
	}
	for i := range s.workers {
		n := s
		w := &n.workers[i]
		if w.lease != 0 && !n.dead[w.lease] { // the hub, or others, see no renewal
			n.dead[w.lease] = true
			f(n)
		}
		n = s
		if !n.killed[0] {
			n.killed[0] = true
			n.dead[w.lease] = w.lease != 0
			*w = modelWorker{}
			for item, d := range n.disk[i] {
				n.disk[i][item] = d / durable * durable
			}
			f(n)
		}
		s.work(is, i, f)
	}
}

// deliver lets the hub process a request, whose reply arrives or is lost, or loses the request.
func (s modelState) deliver(is mutant, i int, f func(modelState)) {
	r := s.net[i]
	s.net[i] = modelRequest{}
	s.sort()
	f(s)
	accepted := r.after == s.length || is == "no fence"
	if accepted {
		if s.length == s.room {
			return
		}
		s.log[s.length] = r.message
		s.length++
		f(s)
	}
	if w := &s.workers[r.from-1]; w.waits && w.request == r {
		if w.rejected = !accepted; accepted {
			w.stored(&s, s.length)
		}
		f(s)
	}
}

// stored is what a worker does when it knows that its message was stored.
func (w *modelWorker) stored(s *modelState, at uint8) {
	m := w.request.message
	w.waits, w.rejected, w.request, w.last = false, false, modelRequest{}, at
	switch {
	case m.item != 0:
		w.done[m.item] = true
	case m.lease == 0:
		*w = modelWorker{lease: w.lease}
	default: // a claim: replay
		w.owns = true
		for _, m := range s.log[:at] {
			w.done[m.item] = w.done[m.item] || m.item != 0
		}
	}
}

// send is a write, or sends it again.
func (s modelState) send(i int, r modelRequest, f func(modelState)) {
	if s.net[0].from == 0 { // the requests are sorted
		s.net[0] = r
		s.sort()
		s.workers[i].waits, s.workers[i].request, s.workers[i].rejected = true, r, false
		f(s)
	}
}

// sort makes states equal that differ in the order of requests only.
func (s *modelState) sort() {
	slices.SortFunc(s.net[:], func(a, b modelRequest) int {
		return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.message.lease, b.message.lease), cmp.Compare(a.message.item, b.message.item), cmp.Compare(a.after, b.after))
	})
}

// canonical exchanges the items if 2 was recorded first, or, before that, is further on a disk: nothing but the number distinguishes them.
func (s *modelState) canonical() {
	first := slices.IndexFunc(s.log[:], func(m modelMessage) bool { return m.item != 0 })
	if first >= 0 && s.log[first].item == 1 || first < 0 && cmp.Or(cmp.Compare(s.disk[0][1], s.disk[0][2]), cmp.Compare(s.disk[1][1], s.disk[1][2])) >= 0 {
		return
	}
	exchange := func(m *modelMessage) {
		if m.item != 0 {
			m.item = 3 - m.item
		}
	}
	for i := range s.log {
		exchange(&s.log[i])
	}
	for i := range s.net {
		exchange(&s.net[i].message)
	}
	for i := range s.workers {
		w, d := &s.workers[i], &s.disk[i]
		exchange(&w.request.message)
		w.done[1], w.done[2], d[1], d[2] = w.done[2], w.done[1], d[2], d[1]
	}
	s.sort()
}

// work passes each state after a step of a worker to f.
func (s modelState) work(is mutant, i int, f func(modelState)) {
	w := &s.workers[i]
	write := func(m modelMessage, after uint8) { s.send(i, modelRequest{uint8(i) + 1, after, m}, f) }
	switch {
	case w.lease == 0 || s.dead[w.lease] && !w.owns && !w.waits: // a new lease
		if next := s.leases + 1; next <= modelLeases && int(workerOfLease(next)) == i {
			s.leases, *w = next, modelWorker{lease: next}
			f(s)
		}
		return
	case w.waits && w.rejected: // see appendState
		switch last := s.log[max(s.length, 1)-1]; {
		case is == "blind retry":
			write(w.request.message, s.length)
		case s.length > w.request.after && last == w.request.message:
			w.stored(&s, s.length)
			f(s)
		default:
			*w = modelWorker{lease: w.lease}
			f(s)
		}
		return
	case w.waits && !slices.Contains(s.net[:], w.request): // no reply has arrived
		write(w.request.message, w.request.after)
		return
	case w.waits:
		return
	case !w.owns:
		if owner := s.log[max(s.length, 1)-1].lease; owner == 0 || owner == w.lease || s.dead[owner] {
			write(modelMessage{lease: w.lease}, s.length)
		}
		return
	}
	for item := uint8(1); item <= s.items; item++ {
		if w.done[item] {
			continue
		}
		d := s.disk[i][item]
		if d == fetched || d == 0 && !s.dead[w.lease] { // a worker without a lease contacts no host
			n := s
			n.disk[i][item]++
			f(n)
		}
		if d == durable || d == fetched && is == "result before commit" {
			write(modelMessage{w.lease, item}, w.last)
		}
	}
	write(modelMessage{}, w.last) // release
}

// No order of events breaks a promise, and each mistake is found.
func TestOwnershipModel(t *testing.T) {
	t.Parallel()
	log, items := uint8(4), uint8(2)
	if testing.Short() {
		log, items = 4, 1
	}
	for _, is := range []mutant{"", "no fence", "result before commit", "blind retry", "lost tail"} {
		seen := map[modelState]bool{}
		queue := []modelState{{room: log, items: items}}
		found, complete := "", false
		for len(queue) > 0 && found == "" {
			last := queue[len(queue)-1]
			queue = queue[:len(queue)-1]
			last.next(is, func(n modelState) {
				n.canonical()
				before := len(seen)
				if seen[n] = true; len(seen) > before {
					queue = append(queue, n)
					found = max(found, n.violation())
					complete = complete || n.workers[0].done[items] && n.workers[1].done[items] // one by replaying
				}
			})
		}
		t.Logf("%q: %d states; %s", is, len(seen), found)
		if (found != "") != (is != "") || is == "" && !complete {
			t.Errorf("%q: got %q, complete %t", is, found, complete)
		}
	}
}
