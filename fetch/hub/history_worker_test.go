//go:build unix || windows

package hub_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/batch"
	"example.org/deref/fetch/hub"
)

// An interruption costs the requests in flight at most: what was fetched is recorded as soon as the hub can.
func TestOutage(t *testing.T) {
	for name, lasts := range map[string][]time.Duration{"hub killed": {1, 2, 3, 40}, "power failure": {4, 8, 60}, "hub full": {5, 60}, "clock forward": {1, 1, 1}} {
		t.Run(name, func(t *testing.T) {
			var events []event
			for _, seconds := range lasts {
				events = append(events, event{4 * time.Second, seconds * time.Second, name, 1})
			}
			h := simulate(t, 0, func(h *history) { h.run(events) })
			if again, most := h.fetched-linkedPages, len(events)*2*connections; again > most {
				t.Errorf("got %d repeated requests of %d, want at most the %d in flight", again, linkedPages, most)
			}
		})
	}
}

// A member is a worker.
type member struct {
	*wire
	name  string
	stop  context.CancelFunc
	drain chan struct{}

	dead, full bool                 // it was killed; its disk is full
	unsynced   []int                // documents
	done       map[string]time.Time // when the items were finished, by URI and Redo
	lost       map[int][]time.Time  // when the worker learned that another one has owned a partition
}

const connections = 8 // of each worker

// start starts a worker.
func (h *history) start() {
	ctx, stop := context.WithCancel(h.ended)
	m := &member{wire: h.wire(), stop: stop, drain: make(chan struct{}), done: map[string]time.Time{}, lost: map[int][]time.Time{}}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.started++
	m.name = fmt.Sprint("w", h.started)
	h.members = append(h.members, m)
	h.work.Go(func() {
		c := h.dial(m.wire)
		defer c.Close()
		var j *hub.Job
		h.until("open", func(one context.Context) (err error) {
			if ctx.Err() == nil {
				j, err = hub.Open(one, c, historyJob)
			}
			return err
		})
		if j == nil {
			return
		}
		err := j.Work(ctx, m.task, &hub.WorkOptions{Name: m.name, Dir: h.TempDir(), Connections: connections, Batch: batch.Options{PerHost: 2}, Drain: m.drain,
			Commit: m.commit, Done: m.finish, Report: m.report, More: func(it *batch.Item) json.RawMessage { return it.Keep.(json.RawMessage) }})
		h.note(m.name, "ended", err)
		if err != nil && ctx.Err() == nil && fetch.KindOf(err) != fetch.ErrDisk {
			h.Errorf("%s: got %v, want nil", m.name, err)
		}
	})
}

func (m *member) report(event string, args ...any) {
	m.note(event, args)
	if event == "late write rejected" {
		m.mu.Lock()
		defer m.mu.Unlock()
		p := args[3].(int)
		m.lost[p] = append(m.lost[p], time.Now())
	}
}

func (m *member) finish(it *batch.Item, _ error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.done[fmt.Sprint(it.URI, it.Redo)] = time.Now()
}

// task fetches a page, which takes from 0.1 to 4 seconds, and adds its links.
func (m *member) task(ctx context.Context, it *batch.Item, add hub.AddFunc) (int64, error) {
	defer m.visits.Begin(it.URI.Hostname(), m.name)()
	n := 0
	fmt.Sscanf(string(it.URI.Path()), "/%d", &n)
	m.request(it)
	select {
	case <-time.After(time.Duration(n%40+1) * 100 * time.Millisecond):
	case <-ctx.Done():
		return 0, ctx.Err()
	}
	m.mu.Lock()
	m.fetched++
	it.Keep, m.unsynced = json.RawMessage(fmt.Sprint(m.fetched)), append(m.unsynced, m.fetched)
	var links []int
	for link := 3*n + 1; link <= 3*n+3 && link < linkedPages; link++ {
		links = append(links, link)
		m.wanted[linkedPage(link).String()] = true
	}
	m.mu.Unlock()
	for _, link := range links {
		if _, err := add(linkedPage(link), nil); err != nil {
			return 0, err
		}
	}
	if n%10 == 9 {
		return 0, fetch.Errorf(fetch.ErrNotFound, "no such page")
	}
	return 1, nil
}

// request checks that a request may begin, and notes whether it is one too many.
func (m *member) request(it *batch.Item) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if since := m.since; !since.IsZero() && time.Since(since) > historyLease*2/3 {
		m.Errorf("%s: got a request %v after it was cut off, want none after two thirds of the lease", m.name, time.Since(since))
	}
	if at, ok := m.done[fmt.Sprint(it.URI, it.Redo)]; ok {
		m.repeated = append(m.repeated, repetition{m, it.URI.String(), [2]time.Time{at, time.Now()}})
	}
}

// commit makes the documents durable that are there when it begins.
func (m *member) commit() error {
	m.mu.Lock()
	list := m.unsynced
	m.unsynced = nil
	m.mu.Unlock()
	time.Sleep(100 * time.Millisecond)
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case m.dead:
		return errDown
	case m.full:
		return fetch.Errorf(fetch.ErrDisk, "no space")
	}
	for _, document := range list {
		m.durable[document] = true
	}
	return nil
}

// happenToMember lets something happen to a worker. If it ends by that, another one is started later.
func (h *history) happenToMember(e event) {
	h.mu.Lock()
	if len(h.members) == 0 {
		h.mu.Unlock()
		return
	}
	i := e.who % len(h.members)
	m, ends, held := h.members[i], true, make(chan struct{})
	switch e.what {
	case "worker killed":
		m.dead = true
		m.set(true, m.deaf, m.held, true)
		m.stop()
	case "worker stopped":
		m.stop()
	case "worker drained":
		close(m.drain)
	case "archive full":
		m.full = true
	case "cut":
		ends = false
		m.set(true, m.deaf, m.held, true)
	case "held":
		ends = false
		m.set(m.cut, m.deaf, held, false)
	case "replies lost":
		ends = false
		m.set(m.cut, true, m.held, false)
	}
	if ends {
		h.members = slices.Delete(h.members, i, i+1)
	}
	h.mu.Unlock()
	time.Sleep(e.lasts)
	if ends {
		h.start()
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	close(held)
	m.set(m.dead, h.powerless, nil, e.what != "held")
}
