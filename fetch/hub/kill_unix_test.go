//go:build unix

package hub_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"example.org/deref/fetch/fetchtest/loopback"
	"example.org/deref/fetch/hub"
	"example.org/deref/fetch/hub/hubtest"
)

// site serves pages, each of which links to three others, and notes who requests them.
type site struct {
	*httptest.Server
	pages int

	mu      sync.Mutex
	allowed int           // requests that are answered before held is closed
	held    chan struct{} // nil if all are
	begun   int
	served  map[string]int
	total   int
	grown   sync.Cond
	visits  hubtest.Visits
}

func newSite(t *testing.T, pages int) *site {
	s := &site{pages: pages, served: map[string]int{}}
	s.grown.L = &s.mu
	s.Server = httptest.NewServer(http.HandlerFunc(s.page))
	t.Cleanup(s.Close)
	return s
}

func (s *site) page(w http.ResponseWriter, r *http.Request) {
	var n int
	host, rest, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	if _, err := fmt.Sscanf(rest, "%d", &n); err != nil {
		http.NotFound(w, r)
		return
	}
	defer s.visits.Begin(host, r.URL.Query().Get("by"))()
	s.mu.Lock()
	s.begun++
	held := s.held
	if s.begun <= s.allowed {
		held = nil
	}
	s.mu.Unlock()
	if held != nil {
		select {
		case <-held:
		case <-r.Context().Done():
		}
	}
	loopback.Pause(40 * time.Millisecond)
	links := []int{}
	for _, link := range []int{3*n + 1, 3*n + 2, 3*n + 3, n / 2} {
		if link < s.pages {
			links = append(links, link)
		}
	}
	json.NewEncoder(w).Encode(links)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.served[r.URL.Path]++
	s.total++
	s.grown.Broadcast()
}

// hold makes the site answer only some requests. release ends that.
func (s *site) hold(allowed int) (release func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	held := make(chan struct{})
	s.allowed, s.held = allowed, held
	return func() { close(held) }
}

// await waits until a number of requests were answered.
func (s *site) await(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.total < n {
		s.grown.Wait()
	}
}

// Nothing is lost and nothing has two results although workers and the hub are killed, and a worker is frozen beyond its lease.
func TestNothingIsLost(t *testing.T) {
	long(t, "it takes seconds")
	const pages = 800
	addr, dir := loopback.Reserve(t), t.TempDir()
	s, server, j := playedJobOf(t, pages, dir, addr, 3*time.Second)
	release := s.hold(240) // so that the rest is there to do when b is frozen
	worker := func(name string) *hubtest.Process { return start(t, "worker", "nats://"+addr, name, s.URL) }
	a, b, other := worker("a"), worker("b"), worker("c")
	loopback.Until(t, "partitions of b", func() bool { return owned(t, j, "b") > 0 })
	t.Log("workers")
	s.await(80)
	a.Kill()
	server.Kill()
	start(t, "hub", dir, addr)
	t.Log("a worker and the hub killed, the hub started again")
	d := worker("d")
	s.await(240)
	loopback.Until(t, "a moment to freeze b when it has partitions", func() bool {
		syscall.Kill(b.Pid(), syscall.SIGSTOP)
		if owned(t, j, "b") > 0 {
			return true
		}
		syscall.Kill(b.Pid(), syscall.SIGCONT)
		return false
	})
	loopback.Until(t, "the partitions of b being taken over", func() bool { return owned(t, j, "b") == 0 })
	t.Log("a worker frozen, its partitions taken over")
	release()
	syscall.Kill(b.Pid(), syscall.SIGCONT)
	rejected := 0
	loopback.Until(t, "late writes of b", func() bool { rejected += b.Count("late write rejected"); return rejected > 0 })
	t.Log("its late writes rejected")
	loopback.Until(t, "the end", func() bool {
		st, err := j.Status(context.Background())
		return err == nil && st.Finished()
	})
	t.Log("finished")
	checkOnce(t, j, pages)
	t.Logf("%d late writes rejected", rejected)
	// A process that a loaded machine has stopped for longer than its lease is as good as a frozen one.
	s.check(t, map[string]bool{"a": true, "b": true, "c": other.Count("lease lost") > 0, "d": d.Count("lease lost") > 0})
}

// playedJobOf starts the servers of documents and the hub, and creates a job with the first page.
func playedJobOf(t *testing.T, pages int, dir, addr string, lease time.Duration) (s *site, server *hubtest.Process, j *hub.Job) {
	t.Helper()
	s = newSite(t, pages)
	server = start(t, "hub", dir, addr)
	c := dial(t, "nats://"+addr)
	j = newJob(t, c, playedJob, &hub.JobOptions{Partitions: 16, Lease: lease})
	addLast(t, j, playedPage(0), nil)
	return s, server, j
}

// check checks that each page was requested, few of them often, and no host by two workers at once except by those that were late.
func (s *site) check(t *testing.T, late map[string]bool) {
	t.Helper()
	clashes := s.visits.Check(t, late)
	s.mu.Lock()
	defer s.mu.Unlock()
	t.Logf("%d URIs, %d requests, %d moments with two workers at a host", len(s.served), s.total, clashes)
	if s.total > 3*s.pages || len(s.served) != s.pages {
		t.Errorf("got %d requests of %d URIs, want fewer than three for each of %d", s.total, len(s.served), s.pages)
	}
}
