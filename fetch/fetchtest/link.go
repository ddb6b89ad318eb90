package fetchtest

import (
	"errors"
	"io"
	"net"
	"sync"
	"time"

	"example.org/deref/fetch/fetchtest/loopback"
)

// A link is a connection through a Relay.
type link struct {
	Faults
	far      net.Conn
	up, down *line
	passed   int64 // bytes of the server
	failed   func()
	count    func(n int) // counts bytes that are passed on
}

// run moves bytes until both directions are over.
func (l *link) run() {
	defer l.Close()
	var all sync.WaitGroup
	all.Go(l.fromServer)
	all.Go(l.toServer)
	all.Wait()
}

// Close ends the link at both ends at once.
func (l *link) Close() error {
	l.up.abort()
	l.down.abort()
	return l.far.Close()
}

func (l *link) fromServer() {
	buf := make([]byte, 16<<10)
	for {
		n, err := l.far.Read(buf)
		if n > 0 && !l.forward(buf[:n]) {
			return
		}
		if err != nil {
			if !errors.Is(err, io.EOF) {
				err = loopback.ErrReset
			}
			l.down.end(err)
			return
		}
	}
}

// forward passes on the server's bytes as far as the faults allow. It reports whether more may follow.
func (l *link) forward(b []byte) bool {
	if i := l.CorruptAt - l.passed; l.CorruptAt > 0 && i >= 0 && i < int64(len(b)) {
		b[i] ^= 0xff
	}
	stop := l.CutAt
	if l.StallAt > 0 && (stop <= 0 || l.StallAt < stop) {
		stop = l.StallAt
	}
	last := stop > 0 && l.passed+int64(len(b)) >= stop
	if last {
		b = b[:stop-l.passed]
	}
	l.passed += int64(len(b))
	l.count(len(b))
	if _, err := l.down.write(b, nil); err != nil {
		return false
	}
	if last {
		l.failed()
	}
	switch {
	case last && stop == l.StallAt: // bytes already sent still arrive
		l.up.stall()
	case last && l.Reset:
		l.down.end(loopback.ErrReset)
		l.far.Close()
	case last:
		l.down.end(io.EOF)
		l.far.Close()
	}
	return !last
}

func (l *link) toServer() {
	buf := make([]byte, 16<<10)
	for {
		n, _, err := l.up.read(buf)
		switch {
		case err == io.EOF:
			if w, ok := l.far.(interface{ CloseWrite() error }); ok {
				w.CloseWrite()
			}
			return
		case err != nil:
			l.far.Close()
			return
		}
		if _, err := l.far.Write(buf[:n]); err != nil {
			l.up.drain() // a client does not notice at once that its server has closed
			return
		}
	}
}

// An end is the client's end of a link, in memory.
type end struct {
	*Conn
	link *link
}

func (l *link) end() end {
	return end{&Conn{in: l.down, out: l.up, local: l.far.LocalAddr(), remote: l.far.RemoteAddr()}, l}
}

// Close reaches the server a latency later, and never on a half-open connection.
func (e end) Close() error {
	e.link.down.abort()
	if !e.link.up.end(net.ErrClosed) {
		e.link.up.set(func() {
			if e.link.up.ended == io.EOF && !e.link.up.dead { // after CloseWrite nothing reads the line any more
				e.link.up.ended = net.ErrClosed
				time.AfterFunc(e.link.Latency, func() { e.link.far.Close() })
			}
		})
	}
	return nil
}
