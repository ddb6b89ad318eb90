//go:build unix || windows

package hub_test

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"example.org/deref/fetch/hub"
	"example.org/deref/fetch/hub/hubtest"
)

// A history is a job during which a hub and its workers fail. They are real. The network between them is in memory, and the documents are numbers, so
// all is in a bubble and takes no real time.
type history struct {
	*testing.T
	began  time.Time
	ended  context.Context // is done if the history takes too long
	dir    string          // of the hub; another one after each failure
	conn   *nats.Conn
	job    *hub.Job
	events sync.WaitGroup
	work   sync.WaitGroup // of members
	visits hubtest.Visits
	turn   chan struct{} // is held by what happens to the hub

	mu        sync.Mutex
	server    *hub.Server // nil while it is down
	killed    []*hub.Server
	powerless bool // whatever the hub writes now may be lost, and it confirms nothing
	wires     []*wire
	members   []*member // that nothing has ended
	started   int       // members
	fetched   int       // documents, each of which has a number
	durable   map[int]bool
	recorded  map[place]result
	wanted    map[string]bool // URIs
	repeated  []repetition
}

// A place is that of a record.
type place struct {
	partition int
	number    int64
}

type result struct {
	uri, document string
	failed        bool
	times, later  int // results of this record, and records of Redo that replace it
}

// A repetition is a request of a worker for what it has fetched already.
type repetition struct {
	*member
	uri string
	at  [2]time.Time // both
}

// An event is what happens some time after the event before it.
type event struct {
	after, lasts time.Duration
	what         string
	who          int // which worker, or which record
}

const (
	historyJob   = "history"
	historyLease = 15 * time.Second
	linkedPages  = 120 // others have no links
)

// randomEvents makes a history from a seed.
func randomEvents(seed int) (list []event) {
	r := rand.New(rand.NewPCG(uint64(seed), 0))
	what := []string{"worker killed", "worker killed", "worker stopped", "worker drained", "worker added", "archive full", "cut", "held", "replies lost",
		"replies lost", "hub killed", "power failure", "power failure", "hub full", "clock forward", "clock back", "URIs added", "redo"}
	for range 12 {
		list = append(list, event{time.Duration(r.Int64N(int64(10 * time.Second))), time.Duration(r.Int64N(int64(2 * historyLease))), what[r.IntN(len(what))], r.IntN(1000)})
	}
	return list
}

// What the README of cmd/derefd promises holds in random histories. Their number is DEREF_HISTORIES.
func TestHistories(t *testing.T) {
	few := "6"
	if testing.Short() {
		few = "3"
	}
	seeds, err := strconv.Atoi(cmp.Or(os.Getenv("DEREF_HISTORIES"), few))
	if err != nil {
		t.Fatal(err)
	}
	for seed := range seeds {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			events := randomEvents(seed)
			if simulate(t, seed, func(h *history) { h.run(events) }); t.Failed() {
				t.Logf("%v\nrepeat: DEREF_HISTORIES=%d go test ./fetch/hub -run 'TestHistories/%d$'", events, seed+1, seed)
			}
		})
	}
}

// run lets events happen, and checks the result.
func (h *history) run(events []event) {
	h.job = newJob(h.T, h.conn, historyJob, &hub.JobOptions{Partitions: 4, Lease: historyLease})
	h.add(0)
	h.start()
	h.start()
	for _, e := range events {
		time.Sleep(e.after)
		h.note(e.what, e.lasts, e.who)
		h.events.Go(func() { h.happen(e) })
	}
	h.events.Wait()
	h.until("seal", h.job.Seal)
	h.start()
	h.work.Wait()
	h.check()
}

// note logs what happens, with the time since the beginning.
func (h *history) note(args ...any) {
	h.Log(append([]any{fmt.Sprintf("%7.3f", time.Since(h.began).Seconds())}, args...)...)
}

// until calls f until it succeeds.
func (h *history) until(what string, f func(ctx context.Context) error) {
	for {
		ctx, cancel := context.WithTimeout(h.ended, 5*time.Second)
		err := f(ctx)
		cancel()
		if err == nil {
			return
		}
		select {
		case <-h.ended.Done():
			h.Errorf("%s: got %v", what, err)
			return
		case <-time.After(time.Second):
		}
	}
}

// add adds a URI.
func (h *history) add(page int) {
	h.until("add", func(context.Context) error { _, err := h.job.Add(linkedPage(page), nil); return err })
	h.mu.Lock()
	defer h.mu.Unlock()
	h.wanted[linkedPage(page).String()] = true
}

// observe checks what is recorded by now: a result is never replaced by another one but by Redo, and its document is durable.
func (h *history) observe(ctx context.Context) error {
	now := map[place]result{}
	err := h.job.History(ctx, func(r *hub.Result) error {
		at := place{r.Partition, r.Number}
		is := now[at]
		now[at] = result{r.URI, string(r.More), r.Error != "", is.times + 1, is.later}
		if r.Redo > 0 {
			replaced := now[place{r.Partition, r.Redo - 1}]
			replaced.later++
			now[place{r.Partition, r.Redo - 1}] = replaced
		}
		return nil
	})
	if err != nil {
		return err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for at, is := range now {
		document, err := strconv.Atoi(is.document)
		if is.times != 1 || is.later > 1 || err != nil || !h.durable[document] && !is.failed {
			h.Errorf("%v: got %+v, want one result, whose document is in a committed archive, and at most one that replaces it", at, is)
		}
	}
	for at, was := range h.recorded {
		if is := now[at]; is.document != was.document {
			h.Errorf("%v: got %+v, want the result that was seen before, %+v", at, is, was)
		}
	}
	h.recorded = now
	return nil
}

// check checks the results of the finished job.
func (h *history) check() {
	h.until("history", h.observe)
	got, of := results(h.T, h.job), map[string]int{}
	for at, r := range h.recorded {
		of[r.uri] = at.partition
	}
	for u := range h.wanted {
		if got[u] != 1 {
			h.Errorf("%s: got %d results, want 1", u, got[u])
		}
	}
	s, err := h.job.Status(h.ended)
	if err != nil || !s.Finished() || s.URIs() != int64(len(h.wanted)) || s.Done+s.Failed != s.URIs() || len(got) != len(h.wanted) {
		h.Errorf("got %+v, %v, and results of %d URIs, want a finished job of %d URIs", s, err, len(got), len(h.wanted))
	}
	for _, r := range h.repeated {
		if !slices.ContainsFunc(r.lost[of[r.uri]], func(lost time.Time) bool { return !lost.Before(r.at[0]) && !lost.After(r.at[1]) }) {
			h.Errorf("%s: got a second request of %s, whose partition no other worker has owned", r.uri, r.name)
		}
	}
	h.visits.Check(h.T, nil)
	h.note(len(got), "URIs,", h.fetched, "documents,", len(h.recorded), "records")
}
