package prosperotest

import (
	"crypto/x509"
	"io/fs"
	"net"
	"slices"
	"sync"
	"time"

	"example.org/deref/fetch/fetchtest/loopback"
	"example.org/deref/schemes/prospero/internal/wire"
)

// Self stands for the server's own address in Options.Forward, since its port is not known before.
const Self = "self"

// Options configure a server. A nil *Options, and each zero field, means the default.
type Options struct {
	Addr    string              // where to listen; "" is a free port of 127.0.0.1
	FTP     string              // host:port of an FTP server for the same file system, to which files refer
	Methods map[string][]string // values of ACCESS-METHOD by hsoname, as on a line
	Links   map[string][]string // lines of LIST by hsoname
	// Contents are replies to GET-OBJECT-INFO CONTENTS by hsoname, line ends included, for objects in Methods.
	Contents map[string]string
	Forward  map[string]string // hsoname to host(port): FORWARDED there; Self is this server
	Fault    Fault
}

// A Fault replaces the nth datagram, from 0, by any number of others.
type Fault func(n int, datagram []byte) [][]byte

// Server is a running server. Its Transcript is the requests, without their opening lines.
type Server struct {
	loopback.Server // Addr, URL, and the methods below

	fsys  fs.FS
	o     Options
	talks []*talk // the latest ones, oldest first

	mu   sync.Mutex
	sent int
}

// NewServer starts a server on fsys. Like httptest.NewServer it panics if it cannot listen; see Listen.
func NewServer(fsys fs.FS, o *Options) *Server { return loopback.Must(Listen(fsys, o)) }

// Listen starts a server on fsys.
func Listen(fsys fs.FS, o *Options) (*Server, error) {
	s := &Server{fsys: fsys, o: loopback.Given(o)}
	if _, err := loopback.StartPackets(s, "prospero", s.o.Addr, s.receive); err != nil {
		return nil, err
	}
	return s, nil
}

// Sent returns how many datagrams the server has tried to send.
func (s *Server) Sent() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.sent
}

func (s *Server) receive(from net.Addr, datagram []byte, reply func([]byte)) {
	h, data, err := wire.Decode(datagram)
	if err != nil {
		return
	}
	for _, d := range s.talk(from, h.CID).take(h, data, s.answer) {
		s.send(d, reply)
	}
}

// send sends a datagram, or the datagrams that the Fault returns for it.
func (s *Server) send(d []byte, reply func([]byte)) {
	s.mu.Lock()
	n := s.sent
	s.sent++
	s.mu.Unlock()
	out := [][]byte{d}
	if s.o.Fault != nil {
		out = s.o.Fault(n, d)
	}
	for _, d := range out {
		reply(d)
	}
}

// mostTalks is how many requests are remembered, so that the reply to a repeated request is not computed again.
const mostTalks = 20

func (s *Server) talk(from net.Addr, cid uint16) *talk {
	i := slices.IndexFunc(s.talks, func(t *talk) bool { return t.cid == cid && t.from == from.String() })
	if i >= 0 {
		return s.talks[i]
	}
	if len(s.talks) == mostTalks {
		s.talks = s.talks[1:]
	}
	t := &talk{cid: cid, from: from.String(), request: map[uint16][]byte{}}
	s.talks = append(s.talks, t)
	return t
}

// Close closes all connections and returns when no goroutine of the server is left.
func (s *Server) Close() { s.Server.Close() }

// Transcript returns all lines received so far: see [loopback.Server.Transcript].
func (s *Server) Transcript() []string { return s.Server.Transcript() }

// Roots returns the roots that verify the server's own certificate. It returns nil if there is none.
func (s *Server) Roots() *x509.CertPool { return s.Server.Roots() }

// Wait waits until all clients have left, but not longer than d, and reports whether they have. The Transcript is complete then.
func (s *Server) Wait(d time.Duration) bool { return s.Server.Wait(d) }

// Sessions returns the number of connections accepted so far.
func (s *Server) Sessions() int { return s.Server.Sessions() }
