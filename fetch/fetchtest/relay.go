package fetchtest

import (
	"io"
	"net"
	"sync"
	"time"
)

// Faults are what a Relay does to a connection. The zero value passes everything on at once. Offsets count the bytes that the server sends
// on one connection, from 0; an offset of 0 or less means no fault.
type Faults struct {
	Latency    time.Duration // of each packet, in each direction: half of a round trip. Connecting by a Client takes a round trip
	Rate       int           // bytes per second in each direction
	Loss       int           // each Nth packet is lost in each direction. TCP sends it again, UDP does not
	Retransmit time.Duration // how much later a lost packet of TCP comes; what follows waits for it. 0 means 200 ms

	Conn      int   // only the Nth connection or UDP socket of the Relay has the faults below; 0 means each
	CutAt     int64 // the connection ends after so many bytes
	Reset     bool  // ... with a RST instead of a FIN
	StallAt   int64 // the connection is half open after so many bytes: nothing comes any more in either direction, neither FIN nor RST
	Down      bool  // after CutAt or StallAt no further connection of the Relay is made either, until Set
	CorruptAt int64 // the byte at this offset is inverted
	Refuse    bool  // no connection is made. A listener closes it at once, since it cannot refuse
}

// of returns the faults of connection n.
func (f Faults) of(n int) Faults {
	if f.Retransmit <= 0 {
		f.Retransmit = retransmit
	}
	if f.Conn != 0 && f.Conn != n {
		f.CutAt, f.StallAt, f.CorruptAt, f.Refuse = 0, 0, 0, false
	}
	return f
}

// A Relay is a bad network between clients and servers. Any TCP client can go through it by Listen, and a fetch.Client by Attach, where
// nothing but the server's own connection touches the system's network: with a dialogue.Player as the server, a Relay works in a bubble of
// testing/synctest, whose clock makes the slowest network take no time. A Relay must be closed.
type Relay struct {
	mu     sync.Mutex
	faults Faults
	open   map[io.Closer]bool
	told   []int64 // bytes that the server of each connection has sent
	down   bool    // by Faults.Down
	closed bool
	wg     sync.WaitGroup
}

// NewRelay returns a Relay that nothing goes through yet.
func NewRelay(f Faults) *Relay { return &Relay{faults: f, open: map[io.Closer]bool{}} }

// Set changes the faults of future connections.
func (r *Relay) Set(f Faults) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.faults, r.down = f, false
}

// failed notes that the faults of a connection have come true.
func (r *Relay) failed(f Faults) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.down = r.down || f.Down
}

// Connections returns how many connections and UDP sockets clients have opened.
func (r *Relay) Connections() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.told)
}

// Bytes returns how many bytes the server has sent on connection n, from 1, as far as the faults let them through.
func (r *Relay) Bytes(n int) int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	if n < 1 || n > len(r.told) {
		return 0
	}
	return r.told[n-1]
}

func (r *Relay) add(n int, bytes int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.told[n-1] += bytes
}

// Close ends everything and returns when no goroutine is left. Closing twice is harmless.
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

// Listen opens a free port of 127.0.0.1, connects each client of it to target ("host:port"), and returns its address.
func (r *Relay) Listen(target string) (addr string, err error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return ln.Addr().String(), r.start(ln, func() { r.accept(ln, target) })
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
	r.told = append(r.told, 0)
	n = len(r.told)
	f = r.faults.of(n)
	f.Refuse = f.Refuse || r.down
	return n, f
}

func (r *Relay) accept(ln net.Listener, target string) {
	for {
		near, err := ln.Accept()
		if err != nil {
			return
		}
		n, f := r.next()
		if f.Refuse {
			near.Close()
			continue
		}
		r.start(near, func() {
			far, err := net.DialTimeout("tcp", target, patience)
			if err == nil {
				_, err = r.join(near, far, n, f)
			}
			if err != nil {
				near.Close()
			}
		})
	}
}

// join starts a link. Its near end is nil for one in memory.
func (r *Relay) join(near, far net.Conn, n int, f Faults) (*link, error) {
	l := &link{Faults: f, failed: func() { r.failed(f) }, told: func(b int) { r.add(n, int64(b)) }, near: near, far: far, up: newLine(f), down: newLine(f)}
	return l, r.start(l, l.run)
}
