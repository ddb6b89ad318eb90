package mailtest

import (
	"net"
	"sync"

	"example.org/deref/fetch/fetchtest/loopback"
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

// A noter writes to the transcript of a server: the beginnings of pieces, since a server that runs for days must not grow.
type noter struct{ *loopback.Server }

func (n noter) Write(p []byte) (int, error) {
	n.Net.Note(string(p[:min(len(p), 1<<10)]))
	return len(p), nil
}
