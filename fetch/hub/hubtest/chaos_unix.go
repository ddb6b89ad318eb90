//go:build unix

package hubtest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fetchtest"
	"example.org/deref/fetch/fetchtest/loopback"
	"example.org/deref/fetch/hub"
)

// Chaos is a job during which everything fails at random.
type Chaos struct {
	Job         *hub.Job
	Conn        *nats.Conn       // to the hub, not by the Relay
	Relay       *fetchtest.Relay // between the workers and the hub
	Hub         *Process
	StartHub    func() *Process // in place of one that was killed
	StartWorker func(name string) *Process

	Frozen map[string]bool // workers that were
	Counts map[string]int  // how often each thing has happened
	Late   int             // writes of former owners that were rejected

	t       *testing.T
	workers map[string]*Process
	started int
}

const (
	firstWorkers = 3
	mostWorkers  = 5
	longestCut   = 8 * time.Second // longer than a lease of the tests
	longestRest  = 5 * time.Second // between two failures
)

// Network returns the network between the workers and the server at addr, and the address at which it offers that. It lasts as long as the test.
func Network(t *testing.T, addr string) (r *fetchtest.Relay, near string) {
	t.Helper()
	r = fetchtest.NewRelay(fetchtest.Faults{})
	t.Cleanup(func() { r.Close() })
	near, err := r.Listen(addr)
	if err != nil {
		t.Fatal(err)
	}
	return r, near
}

// Run lets things fail until the job is finished.
func (c *Chaos) Run(t *testing.T) {
	c.t, c.workers, c.Frozen, c.Counts = t, map[string]*Process{}, map[string]bool{}, map[string]int{}
	for range firstWorkers {
		c.start()
	}
	for {
		s, err := c.Job.Status(context.Background())
		if err == nil && s.Finished() {
			break
		}
		if err == nil {
			t.Logf("%d of %d, %v", s.Records(), s.Added, c.Counts)
		}
		c.progress()
		loopback.Pause(longestRest)
		if s, err := c.Job.Status(context.Background()); err == nil && !s.Finished() {
			c.step()
		}
	}
	for _, p := range c.workers {
		c.end(p)
	}
}

// Freeze stops the process (SIGSTOP), or continues it.
func (p *Process) Freeze(freeze bool) {
	if freeze {
		p.cmd.Process.Signal(syscall.SIGSTOP)
		return
	}
	p.cmd.Process.Signal(syscall.SIGCONT)
}

// end waits for a worker that ends by itself.
func (c *Chaos) end(p *Process) {
	p.Wait()
	c.Late += p.Count("late write rejected")
}

func (c *Chaos) start() {
	c.started++
	name := fmt.Sprint("w", c.started)
	c.workers[name] = c.StartWorker(name)
}

// random returns one of the workers.
func (c *Chaos) random() (name string, p *Process) {
	n := rand.IntN(len(c.workers))
	for name, p = range c.workers {
		if n--; n < 0 {
			break
		}
	}
	return name, p
}

// step lets one thing fail.
func (c *Chaos) step() {
	list := []string{"worker killed", "hub killed", "worker frozen", "network cut", "log full", "worker drained", "worker added"}
	what := list[rand.IntN(len(list))]
	name, p := c.random()
	switch what {
	case "worker killed":
		p.Kill()
		c.Late += p.Count("late write rejected")
		delete(c.workers, name)
		c.start()
	case "hub killed":
		c.Hub.Kill()
		c.Hub = c.StartHub()
	case "worker frozen":
		c.Frozen[name] = true
		p.Freeze(true)
		loopback.Until(c.t, "the partitions of "+name+" being taken over", func() bool { return len(c.workers) == 1 || Owned(c.t, c.Job, name) == 0 })
		p.Freeze(false)
	case "network cut":
		c.Relay.Set(fetchtest.Faults{Refuse: true})
		c.Relay.Break()
		loopback.Pause(longestCut)
		c.Relay.Set(fetchtest.Faults{})
	case "log full":
		c.fill()
	case "worker drained":
		if len(c.workers) < 2 {
			return
		}
		if list, err := c.Job.Drain(c.t.Context(), name); err != nil || len(list) == 0 {
			return // it is just reconnecting
		}
		c.end(p)
		delete(c.workers, name)
	case "worker added":
		if len(c.workers) >= mostWorkers {
			return
		}
		c.start()
	}
	c.Counts[what]++
}

// fill lets the hub refuse to store anything for a while, as it does when the disk is full.
func (c *Chaos) fill() {
	c.limit(1)
	loopback.Until(c.t, "error of a full log", func() bool { // the job is sealed already
		return fetch.KindOf(c.Job.Seal(c.t.Context())) == fetch.ErrDisk
	})
	loopback.Pause(longestCut)
	c.limit(-1)
}

func (c *Chaos) limit(bytes int64) {
	js, err := jetstream.New(c.Conn)
	if err != nil {
		c.t.Fatal(err)
	}
	loopback.Until(c.t, "another limit of the log", func() bool {
		s, err := js.Stream(c.t.Context(), "DEREF_"+c.Job.Name)
		if err != nil {
			return false
		}
		o := s.CachedInfo().Config
		o.MaxBytes = bytes
		_, err = js.UpdateStream(c.t.Context(), o)
		return err == nil
	})
}

// progress waits for new results. Without that, failures that follow each other faster than leases end would stop everything.
func (c *Chaos) progress() {
	before := int64(-1)
	loopback.Until(c.t, "new results", func() bool {
		s, err := c.Job.Status(c.t.Context())
		if err == nil && before < 0 {
			before = s.Records()
		}
		return err == nil && (s.Records() > before || s.Finished())
	})
}
