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
	running map[string]map[string]int // host to worker to requests
	clashes []string
	total   int
	grown   sync.Cond
}

func newSite(t *testing.T, pages int) *site {
	s := &site{pages: pages, served: map[string]int{}, running: map[string]map[string]int{}}
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
	by := r.URL.Query().Get("by")
	s.mu.Lock()
	if s.running[host] == nil {
		s.running[host] = map[string]int{}
	}
	s.running[host][by]++
	s.begun++
	held := s.held
	if s.begun <= s.allowed {
		held = nil
	}
	for other, n := range s.running[host] {
		if other != by && n > 0 {
			s.clashes = append(s.clashes, other+" and "+by)
		}
	}
	s.mu.Unlock()
	if held != nil {
		select {
		case <-held:
		case <-r.Context().Done():
		}
	}
	select {
	case <-time.After(20 * time.Millisecond): // of a distant server
	case <-r.Context().Done():
	}
	links := []int{}
	for _, link := range []int{3*n + 1, 3*n + 2, 3*n + 3, n / 2} {
		if link < s.pages {
			links = append(links, link)
		}
	}
	json.NewEncoder(w).Encode(links)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running[host][by]--
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

// owners returns the number of partitions that a worker owns, or -1 while the hub cannot be reached.
func owners(t *testing.T, j *hub.Job, name string) (n int) {
	t.Helper()
	s, err := j.Status(t.Context())
	if err != nil {
		return -1
	}
	for _, p := range s.Partitions {
		if strings.HasPrefix(p.Worker, name+"-") {
			n++
		}
	}
	return n
}

// Nothing is lost and nothing has two results although workers and the hub are killed, and a worker is frozen beyond its lease.
func TestNothingIsLost(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes seconds")
	}
	t.Parallel()
	const pages = 2000
	began := time.Now()
	addr, dir := loopback.Reserve(t), t.TempDir()
	s, server, j := playedJobOf(t, pages, dir, addr, 3*time.Second)
	release := s.hold(600) // so that the rest is there to do when b is frozen
	worker := func(name string) *process { return start(t, "worker", "nats://"+addr, name, s.URL) }
	a, b, other := worker("a"), worker("b"), worker("c")
	until(t, "partitions of b", func() bool { return owners(t, j, "b") > 0 })
	step := func(what string) { t.Logf("after %v: %s", time.Since(began).Round(time.Millisecond), what) }
	step("workers")
	s.await(200)
	a.kill()
	server.kill()
	start(t, "hub", dir, addr)
	step("a worker and the hub killed, the hub started again")
	d := worker("d")
	s.await(600)
	until(t, "a moment to freeze b when it has partitions", func() bool {
		b.cmd.Process.Signal(syscall.SIGSTOP)
		if owners(t, j, "b") > 0 {
			return true
		}
		b.cmd.Process.Signal(syscall.SIGCONT)
		return false
	})
	until(t, "the partitions of b being taken over", func() bool { return owners(t, j, "b") == 0 })
	step("a worker frozen, its partitions taken over")
	release()
	b.cmd.Process.Signal(syscall.SIGCONT)
	rejected := 0
	until(t, "late writes of b", func() bool { rejected += b.count("late write rejected"); return rejected > 0 })
	step("its late writes rejected")
	until(t, "the end", func() bool {
		st, err := j.Status(context.Background())
		return err == nil && st.Finished()
	})
	step("finished")
	checkOnce(t, j, pages)
	t.Logf("%d late writes rejected", rejected)
	// A process that a loaded machine has stopped for longer than its lease is as good as a frozen one.
	s.check(t, map[string]bool{"a": true, "b": true, "c": other.count("lease lost") > 0, "d": d.count("lease lost") > 0})
}

// playedJobOf starts the servers of documents and the hub, and creates a job with the first page.
func playedJobOf(t *testing.T, pages int, dir, addr string, lease time.Duration) (s *site, server *process, j *hub.Job) {
	t.Helper()
	s = newSite(t, pages)
	server = start(t, "hub", dir, addr)
	c, err := hub.Dial("nats://" + addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	if j, err = hub.Create(t.Context(), c, playedJob, &hub.JobOptions{Partitions: 64, Lease: lease}); err != nil {
		t.Fatal(err)
	}
	if _, err := j.Add(playedPage(0), nil); err != nil {
		t.Fatal(err)
	}
	if err := j.Seal(t.Context()); err != nil {
		t.Fatal(err)
	}
	return s, server, j
}

// check checks that each page was requested, few of them often, and no host by two workers at once except by those that were late.
func (s *site) check(t *testing.T, late map[string]bool) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, clash := range s.clashes {
		if x, y, _ := strings.Cut(clash, " and "); !late[x] && !late[y] {
			t.Errorf("got requests of %s to one host at a time, want one worker unless one is frozen or killed", clash)
		}
	}
	t.Logf("%d URIs, %d requests, %d clashes", len(s.served), s.total, len(s.clashes))
	if s.total > 3*s.pages || len(s.served) != s.pages {
		t.Errorf("got %d requests of %d URIs, want fewer than three for each of %d", s.total, len(s.served), s.pages)
	}
}

// count returns how many of the lines so far begin with a text.
func (p *process) count(prefix string) (n int) {
	for {
		select {
		case line, ok := <-p.lines:
			if !ok {
				return n
			}
			if strings.HasPrefix(line, prefix) {
				n++
			}
		default:
			return n
		}
	}
}
