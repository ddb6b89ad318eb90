package fetchtest

import (
	"io"
	"net"
	"sync"
	"time"
)

// Faults describe how a Relay disturbs a connection. The zero value passes everything on at once. Offsets count the bytes that the server
// sends on one connection. An offset of 0 or less means no fault.
type Faults struct {
	Latency    time.Duration // of each packet, in each direction: half of a round trip. Connecting by a Client takes a round trip
	Rate       int           // bytes per second in each direction
	Loss       int           // each Nth packet is lost in each direction. TCP sends it again, UDP does not
	Retransmit time.Duration // extra delay of a lost TCP packet, which later packets wait for; 0 means 200 ms

	Conn      int   // only the Nth connection or UDP socket of the Relay has the faults below; 0 means each
	CutAt     int64 // the connection ends after so many bytes
	Reset     bool  // ... with a RST instead of a FIN
	StallAt   int64 // the connection is half open after so many bytes: nothing arrives in either direction, neither FIN nor RST
	Down      bool  // after CutAt or StallAt, new connections of the Relay fail
	CorruptAt int64 // the byte at this offset is inverted
	Twice     bool  // each datagram of the server arrives twice
	Refuse    bool  // connecting fails
}

// of returns the faults of connection n.
func (f Faults) of(n int) Faults {
	if f.Retransmit <= 0 {
		f.Retransmit = retransmit
	}
	if f.Conn != 0 && f.Conn != n {
		f.CutAt, f.StallAt, f.CorruptAt, f.Twice, f.Refuse = 0, 0, 0, false, false
	}
	return f
}

// A Relay is a bad network between a fetch.Client, to which Attach makes it available, and servers. Only the server's own connection uses the
// system's network. With a dialogue.Player as the server, a Relay works in a bubble of
// testing/synctest, where the slowest network takes no real time. A Relay must be closed.
type Relay struct {
	mu         sync.Mutex
	faults     Faults
	open       map[io.Closer]bool
	fromServer []int64 // bytes sent by the server of each connection
	down       bool    // by Faults.Down
	closed     bool
	wg         sync.WaitGroup
}

// NewRelay returns a Relay without connections.
func NewRelay(f Faults) *Relay { return &Relay{faults: f, open: map[io.Closer]bool{}} }

// failed notes that a connection has met CutAt or StallAt.
func (r *Relay) failed(f Faults) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.down = r.down || f.Down
}

// Connections returns how many connections and UDP sockets clients have opened.
func (r *Relay) Connections() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.fromServer)
}

// Bytes returns how many bytes the server has sent on connection n, counted from 1, as far as the faults let them pass.
func (r *Relay) Bytes(n int) int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	if n < 1 || n > len(r.fromServer) {
		return 0
	}
	return r.fromServer[n-1]
}

func (r *Relay) add(n int, bytes int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.fromServer[n-1] += bytes
}

// Close closes all connections and returns when no goroutine is left. It may be called again.
func (r *Relay) Close() error {
	r.mu.Lock()
	r.closed = true
	for c := range r.open {
		c.Close()
	}
	r.mu.Unlock()
	r.wg.Wait()
	return nil
}

// start runs f in a goroutine that Close ends by closing c.
func (r *Relay) start(c io.Closer, f func()) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		c.Close()
		return net.ErrClosed
	}
	r.open[c] = true
	r.wg.Go(func() {
		f()
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(r.open, c)
	})
	return nil
}

// next counts a connection and returns its number and faults.
func (r *Relay) next() (n int, f Faults) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.fromServer = append(r.fromServer, 0)
	n = len(r.fromServer)
	f = r.faults.of(n)
	f.Refuse = f.Refuse || r.down
	return n, f
}

// join starts a link.
func (r *Relay) join(far net.Conn, n int, f Faults) (*link, error) {
	l := &link{Faults: f, failed: func() { r.failed(f) }, count: func(b int) { r.add(n, int64(b)) }, far: far, up: newLine(f), down: newLine(f)}
	return l, r.start(l, l.run)
}
