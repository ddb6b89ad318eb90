package fetchtest

import (
	"io"
	"net"
	"os"
	"sync"
	"time"
)

const (
	segment    = 1460                   // bytes in a packet: the payload of TCP in an Ethernet frame
	window     = 256 << 10              // bytes in a line before its writer has to wait
	retransmit = 200 * time.Millisecond // Linux's least retransmission timeout; RFC 6298 section 2.4 recommends 1 s
)

// A line is one direction of a connection, or of a UDP socket: a queue of packets, each of which arrives at a time of its own.
type line struct {
	Faults
	datagrams bool // a lost packet stays lost

	mu      sync.Mutex
	changed *sync.Cond
	held    []packet
	size    int       // bytes held
	sent    int       // packets written, lost ones included
	free    time.Time // when the last byte has left the sender
	last    time.Time // when the last packet arrives
	ended   error     // by the writer; returned to the reader after the last packet
	dead    bool      // nothing arrives any more
	gone    bool      // closed by the reader, or by the Relay
	unheard bool      // gone, but the writer's next write still succeeds, as with TCP
	discard bool      // the reader reads no more, and the writer does not notice
	readBy  time.Time
	writeBy time.Time
}

type packet struct {
	at   time.Time
	data []byte
	from net.Addr // of a datagram
}

func newLine(f Faults) *line {
	l := &line{Faults: f}
	l.changed = sync.NewCond(&l.mu)
	return l
}

// write queues b. It waits while a connection's line is full.
func (l *line) write(b []byte, from net.Addr) (n int, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for first := true; first || len(b) > 0; first = false {
		for l.size >= window && !l.datagrams && l.ended == nil && !l.gone && !l.discard && !past(l.writeBy) {
			l.wait(l.writeBy)
		}
		switch {
		case l.unheard && l.ended == nil:
			l.unheard = false
			return n + len(b), nil
		case l.gone, l.ended != nil:
			return n, io.ErrClosedPipe
		case past(l.writeBy):
			return n, os.ErrDeadlineExceeded
		case l.discard, l.size >= window: // as a full socket, it loses a datagram
			return n + len(b), nil
		}
		p := b
		if !l.datagrams && len(p) > segment {
			p = p[:segment]
		}
		l.send(p, from)
		n, b = n+len(p), b[len(p):]
	}
	return n, nil
}

// send queues a packet with its time of arrival. Packets stay in order: after a lost packet of a connection, later ones wait for it.
func (l *line) send(b []byte, from net.Addr) {
	if now := time.Now(); l.free.Before(now) {
		l.free = now
	}
	if l.Rate > 0 {
		l.free = l.free.Add(time.Duration(len(b)) * time.Second / time.Duration(l.Rate))
	}
	at := l.free.Add(l.Latency)
	if l.sent++; l.Loss > 0 && l.sent%l.Loss == 0 {
		if l.datagrams {
			return
		}
		at = at.Add(l.Retransmit)
	}
	if at.Before(l.last) {
		at = l.last
	}
	l.last = at
	l.held = append(l.held, packet{at, append([]byte(nil), b...), from})
	l.size += len(b)
	l.changed.Broadcast()
}

// read waits for the next packet. The part of a datagram that does not fit into b is lost.
func (l *line) read(b []byte) (int, net.Addr, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for {
		at, here := l.arrival()
		switch {
		case l.gone:
			return 0, nil, net.ErrClosed
		case past(l.readBy):
			return 0, nil, os.ErrDeadlineExceeded
		case len(b) == 0 && !l.datagrams:
			return 0, nil, nil
		case here && past(at) && len(l.held) > 0:
			return l.next(b)
		case here && past(at):
			return 0, nil, l.ended
		case !here || !l.readBy.IsZero() && l.readBy.Before(at):
			at = l.readBy
		}
		l.wait(at)
	}
}

func (l *line) next(b []byte) (int, net.Addr, error) {
	p := &l.held[0]
	n, from := copy(b, p.data), p.from
	if !l.datagrams && n < len(p.data) {
		p.data = p.data[n:]
		l.size -= n
	} else {
		l.size -= len(p.data)
		l.held = l.held[1:]
	}
	l.changed.Broadcast()
	return n, from, nil
}

// arrival returns when the next packet or the end arrives, and reports whether one is on its way. Caller holds mu.
func (l *line) arrival() (at time.Time, here bool) {
	switch {
	case l.dead:
		return time.Time{}, false
	case len(l.held) > 0:
		return l.held[0].at, true
	}
	return l.last, l.ended != nil
}

// pending reports whether read would return at once.
func (l *line) pending() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	at, here := l.arrival()
	return l.gone || here && past(at)
}

// wait sleeps until something changes, or until t unless it is zero. Caller holds mu.
func (l *line) wait(t time.Time) {
	if !t.IsZero() {
		timer := time.AfterFunc(time.Until(t), func() {
			l.mu.Lock()
			defer l.mu.Unlock()
			l.changed.Broadcast()
		})
		defer timer.Stop()
	}
	l.changed.Wait()
}

// end closes the writer's side. The end arrives like a packet. It returns false if the side was closed already.
func (l *line) end(err error) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ended != nil {
		return false
	}
	l.ended = err
	if at := time.Now().Add(l.Latency); at.After(l.last) {
		l.last = at
	}
	l.changed.Broadcast()
	return true
}

// set changes a field of the line and wakes whoever waits.
func (l *line) set(change func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	change()
	l.changed.Broadcast()
}

func (l *line) stall() { l.set(func() { l.dead = true }) }
func (l *line) abort() { l.set(func() { l.gone, l.held, l.size = true, nil, 0 }) }
func (l *line) leave() { l.set(func() { l.unheard = l.unheard || !l.gone }); l.abort() }
func (l *line) drain() { l.set(func() { l.discard, l.held, l.size = true, nil, 0 }) }

// past reports whether t is set and has passed.
func past(t time.Time) bool { return !t.IsZero() && !time.Now().Before(t) }
