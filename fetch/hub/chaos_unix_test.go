//go:build unix

package hub_test

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

	"example.org/deref/fetch/fetchtest/loopback"
	"example.org/deref/fetch/hub"
)

// A relay is the network between workers and the hub, which can be cut.
type relay struct {
	to string

	mu    sync.Mutex
	cut   bool
	conns map[net.Conn]bool
}

func newRelay(t *testing.T, to string) (r *relay, addr string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	r = &relay{to: to, conns: map[net.Conn]bool{}}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go r.serve(c)
		}
	}()
	return r, l.Addr().String()
}

func (r *relay) serve(near net.Conn) {
	defer near.Close()
	far, err := net.Dial("tcp", r.to)
	if err != nil || !r.enter(near, far) {
		return
	}
	defer far.Close()
	go func() {
		io.Copy(far, near)
		far.Close()
	}()
	io.Copy(near, far)
}

// enter returns false while the network is cut.
func (r *relay) enter(list ...net.Conn) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, c := range list {
		if r.conns[c] = true; r.cut {
			c.Close()
		}
	}
	return !r.cut
}

func (r *relay) set(cut bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.cut = cut; cut {
		for c := range r.conns {
			c.Close()
		}
		clear(r.conns)
	}
}

// chaos is a long run in which everything fails at random.
type chaos struct {
	t       *testing.T
	job     *hub.Job
	site    *site
	relay   *relay
	dir     string
	addr    string // of the hub
	near    string // of the relay
	server  *process
	workers map[string]*process
	started int
	counts  map[string]int
}

func (c *chaos) start() {
	c.started++
	name := fmt.Sprint("w", c.started)
	c.workers[name] = start(c.t, "worker", "nats://"+c.near, name, c.site.URL)
}

// random returns one of the workers.
func (c *chaos) random() (name string, p *process) {
	n := rand.IntN(len(c.workers))
	for name, p = range c.workers {
		if n--; n < 0 {
			break
		}
	}
	return name, p
}

// step lets one thing fail.
func (c *chaos) step() {
	what := []string{"worker killed", "hub killed", "worker frozen", "network cut", "worker drained", "worker added"}[rand.IntN(6)]
	name, p := c.random()
	switch what {
	case "worker killed":
		p.kill()
		delete(c.workers, name)
		c.start()
	case "hub killed":
		c.server.kill()
		c.server = start(c.t, "hub", c.dir, c.addr)
	case "worker frozen":
		p.cmd.Process.Signal(syscall.SIGSTOP)
		until(c.t, "the partitions of "+name+" being taken over", func() bool { return len(c.workers) == 1 || owners(c.t, c.job, name) == 0 })
		p.cmd.Process.Signal(syscall.SIGCONT)
	case "network cut":
		c.relay.set(true)
		time.Sleep(time.Duration(rand.IntN(8000)) * time.Millisecond) // shorter and longer than a lease
		c.relay.set(false)
	case "worker drained":
		if len(c.workers) < 2 {
			return
		}
		if list, err := c.job.Drain(c.t.Context(), name); err != nil || len(list) == 0 {
			return // it is just reconnecting
		}
		p.cmd.Wait()
		delete(c.workers, name)
	case "worker added":
		if len(c.workers) > 4 {
			return
		}
		c.start()
	}
	c.counts[what]++
}

// progress waits for new results. Without that, failures that follow each other faster than leases end would stop everything.
func (c *chaos) progress() {
	before := int64(-1)
	until(c.t, "new results", func() bool {
		s, err := c.job.Status(c.t.Context())
		if err == nil && before < 0 {
			before = s.Records()
		}
		return err == nil && (s.Records() > before || s.Finished())
	})
}

// The long form of TestNothingIsLost: DEREF_HUB_URIS=200000 go test ./fetch/hub -run Chaos -v -timeout 0
func TestChaos(t *testing.T) {
	pages, err := strconv.Atoi(os.Getenv("DEREF_HUB_URIS"))
	if err != nil {
		t.Skip("DEREF_HUB_URIS is the number of URIs")
	}
	c := &chaos{t: t, dir: t.TempDir(), addr: loopback.Reserve(t), workers: map[string]*process{}, counts: map[string]int{}}
	c.relay, c.near = newRelay(t, c.addr)
	c.site, c.server, c.job = playedJobOf(t, pages, c.dir, c.addr, 6*time.Second)
	for range 3 {
		c.start()
	}
	began := time.Now()
	for {
		s, err := c.job.Status(context.Background())
		if err == nil && s.Finished() {
			break
		}
		if err == nil {
			t.Logf("after %v: %d of %d, %v", time.Since(began).Round(time.Second), s.Records()-s.Duplicates, pages, c.counts)
		}
		c.progress()
		time.Sleep(time.Duration(rand.IntN(5000)) * time.Millisecond)
		if s, err := c.job.Status(context.Background()); err == nil && !s.Finished() {
			c.step()
		}
	}
	checkOnce(t, c.job, pages)
	s, err := c.job.Status(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	c.site.mu.Lock()
	defer c.site.mu.Unlock()
	t.Logf("%d URIs in %v: %d requests, %d moments with two workers at a host, %d bytes of log; %v", pages, time.Since(began).Round(time.Second), c.site.total,
		len(c.site.clashes), s.Stored, c.counts)
}
