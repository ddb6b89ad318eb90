//go:build unix || windows

package hub_test

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/cryptotest"
	"testing/synctest"
	"time"

	"github.com/nats-io/nats-server/v2/server/ats"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"example.org/deref/fetch/fetchtest"
	"example.org/deref/fetch/hub"
)

// simulate runs f with a hub in a bubble.
func simulate(t *testing.T, seed int, f func(h *history)) *history {
	ats.Register() // a clock that all servers of the process share, and whose goroutine must not be in a bubble
	defer ats.Unregister()
	runtime.GC() // twice empties the pools of timers, which no other bubble can use
	runtime.GC()
	cryptotest.SetGlobalRandom(t, uint64(seed))
	h := &history{durable: map[int]bool{}, recorded: map[place]result{}, wanted: map[string]bool{}}
	now := time.Now().Round(0)
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(now)) // by that clock, the leases of a bubble that begins in the year 2000 have ended
		h.T, h.began, h.dir, h.turn = t, time.Now(), t.TempDir(), make(chan struct{}, 1)
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Minute)
		defer cancel()
		h.ended = ctx
		h.serve()
		h.conn = h.dial(h.wire())
		defer h.end()
		f(h)
	})
	return h
}

// waitless runs a test that waits for workers. They wait in simulated time.
func waitless(t *testing.T, f func(t *testing.T, c *nats.Conn)) {
	simulate(t, 0, func(h *history) { f(h.T, h.conn) })
}

func (h *history) end() {
	h.conn.Close()
	time.Sleep(time.Minute) // until the servers have forgotten their clients: see killHub
	for _, s := range append(h.killed, h.server) {
		s.Close()
	}
}

// A wire is the network between a client and the hub. Packets take no time: a client of NATS holds a lock while it waits for some replies, for which a
// bubble waits in vain. The lock of the history guards it.
type wire struct {
	*history
	cut   bool          // connecting fails
	deaf  bool          // replies of the hub are lost
	held  chan struct{} // is closed when packets go on; nil if they do
	conns []io.Closer
	since time.Time // when this began
}

func (h *history) wire() *wire {
	h.mu.Lock()
	defer h.mu.Unlock()
	w := &wire{history: h, deaf: h.powerless}
	h.wires = append(h.wires, w)
	return w
}

func (h *history) dial(w *wire) *nats.Conn {
	c, err := hub.Dial("nats://hub", nats.InProcessServer(w), nats.RetryOnFailedConnect(true))
	if err != nil {
		h.Error(err)
	}
	return c
}

var errDown = errors.New("the network is down")

// InProcessConn connects to the hub.
func (w *wire) InProcessConn() (net.Conn, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.server == nil || w.cut || w.deaf || w.held != nil {
		return nil, errDown
	}
	far, err := w.server.Pipe()
	if err != nil {
		return nil, err
	}
	client, near := fetchtest.Pipe()
	w.conns = append(w.conns, near, far)
	go w.relay(far, near, false)
	go w.relay(near, far, true)
	return client, nil
}

func (w *wire) relay(to, from net.Conn, replies bool) {
	defer to.Close()
	defer from.Close()
	b := make([]byte, 64<<10)
	for {
		n, err := from.Read(b)
		w.mu.Lock()
		held, lost := w.held, w.deaf && replies
		w.mu.Unlock()
		if held != nil {
			<-held
		}
		if !lost {
			to.Write(b[:n])
		}
		if err != nil {
			return
		}
	}
}

// set changes the state of the wire, and closes its connections if breaks is set. The caller holds the lock.
func (w *wire) set(cut, deaf bool, held chan struct{}, breaks bool) {
	w.cut, w.deaf, w.held = cut, deaf, held
	if !cut && !deaf && held == nil {
		w.since = time.Time{}
	} else if w.since.IsZero() {
		w.since = time.Now()
	}
	for _, c := range w.conns {
		if breaks {
			c.Close()
		}
	}
}

// serve starts the hub.
func (h *history) serve() {
	s, err := hub.Serve(&hub.ServerOptions{Dir: h.dir, SyncInterval: time.Minute})
	if err != nil {
		h.Fatal(err)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.server = s
}

// killHub cuts the hub off. It runs until the end, since it would hold a lock while it takes leave of its clients.
func (h *history) killHub() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.killed, h.server, h.powerless = append(h.killed, h.server), nil, false
	for _, w := range h.wires {
		w.set(w.cut, false, w.held, true)
	}
}

// snapshot returns a copy of the hub's directory, as it is while nothing is being written.
func (h *history) snapshot() string {
	synctest.Wait()
	dir := filepath.Join(h.TempDir(), "hub")
	if err := os.CopyFS(dir, os.DirFS(h.dir)); err != nil {
		h.Error(err)
	}
	return dir
}

// failPower ends the hub. What it has confirmed is on its disk. Of what it has stored after that, all is left, nothing, or the beginning.
func (h *history) failPower(e event) {
	h.mu.Lock()
	h.powerless = true
	for _, w := range h.wires {
		w.set(w.cut, true, w.held, false)
	}
	h.mu.Unlock()
	old := h.snapshot()
	time.Sleep(e.lasts / 4)
	latest := h.snapshot()
	h.killHub()
	switch h.dir = old; e.who % 3 {
	case 0:
		h.dir = latest
	case 1:
		h.tear(old, latest, e.who)
	}
	time.Sleep(e.lasts / 2)
	h.serve()
}

// tear appends a part of what the messages in latest have more to those in old.
func (h *history) tear(old, latest string, n int) {
	files, err := filepath.Glob(filepath.Join(latest, "jetstream", "$G", "streams", "DEREF_"+historyJob, "msgs", "*.blk"))
	if err != nil || len(files) == 0 {
		h.Errorf("got %d files of messages, %v", len(files), err)
	}
	for _, name := range files {
		to := filepath.Join(old, strings.TrimPrefix(name, latest))
		was, _ := os.ReadFile(to)
		is, err := os.ReadFile(name)
		if err == nil && len(is) > len(was) {
			err = os.WriteFile(to, is[:len(was)+n%(len(is)-len(was))], 0o600)
		}
		if err != nil {
			h.Error(err)
		}
	}
}

// happen lets an event happen, and returns after it.
func (h *history) happen(e event) {
	ctx, cancel := context.WithTimeout(h.ended, time.Second)
	h.observe(ctx) // fails while the hub is down
	cancel()
	switch e.what {
	case "URIs added":
		for n := range 10 {
			h.add(linkedPages + e.who + n)
		}
	case "redo":
		h.until("redo", func(ctx context.Context) error {
			_, err := h.job.Redo(ctx, func(r *hub.Result) bool { return r.Number%8 == int64(e.who%8) })
			return err
		})
	case "worker added":
		h.start()
	case "hub killed", "power failure", "hub full", "clock forward", "clock back":
		h.turn <- struct{}{}
		h.happenToHub(e)
		<-h.turn
	default:
		h.happenToMember(e)
	}
}

func (h *history) happenToHub(e event) {
	const log, leases = "DEREF_" + historyJob, "KV_DEREF_" + historyJob + "_workers"
	// configure changes a stream.
	configure := func(name string, change func(*jetstream.StreamConfig)) {
		h.until("configure "+name, func(ctx context.Context) error {
			js, err := jetstream.New(h.conn)
			if err != nil {
				return err
			}
			s, err := js.Stream(ctx, name)
			if err != nil {
				return err
			}
			if change == nil {
				return s.Purge(ctx)
			}
			c := s.CachedInfo().Config
			change(&c)
			_, err = js.UpdateStream(ctx, c)
			return err
		})
	}
	switch e.what {
	case "hub killed":
		dir := h.snapshot()
		h.killHub()
		time.Sleep(e.lasts)
		h.dir = dir
		h.serve()
	case "power failure":
		h.failPower(e)
	case "hub full":
		configure(log, func(c *jetstream.StreamConfig) { c.MaxBytes = 1 })
		time.Sleep(e.lasts)
		configure(log, func(c *jetstream.StreamConfig) { c.MaxBytes = -1 })
	case "clock forward": // the hub removes the leases
		configure(leases, nil)
	case "clock back": // the hub does not remove them
		configure(leases, func(c *jetstream.StreamConfig) { c.MaxAge = time.Hour })
		time.Sleep(e.lasts)
		configure(leases, func(c *jetstream.StreamConfig) { c.MaxAge = historyLease })
	}
}
