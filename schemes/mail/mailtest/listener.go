package mailtest

import (
	"bytes"
	"net"
	"sync"
)

// A single is a connection of a loopback.Listener, and for a library's server the listener that accepts it.
type single struct {
	net.Conn
	accept, end sync.Once
	ended       chan struct{}
}

// Accept returns the connection. Then it waits until the library has closed it.
func (s *single) Accept() (c net.Conn, err error) {
	s.accept.Do(func() { c = s })
	if c != nil {
		return c, nil
	}
	<-s.ended
	return nil, net.ErrClosed
}

func (s *single) Addr() net.Addr { return s.LocalAddr() }

func (s *single) Close() error {
	err := s.Conn.Close()
	s.end.Do(func() { close(s.ended) })
	return err
}

// A transcript stores what both sides have sent, up to a bound: a server that runs for days must not grow.
type transcript struct {
	mu sync.Mutex
	b  bytes.Buffer
}

const maxTranscript = 1 << 20

func (t *transcript) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.b.Len()+len(p) <= maxTranscript {
		t.b.Write(p)
	}
	return len(p), nil
}

func (t *transcript) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.b.String()
}
