package prosperotest

import (
	"io/fs"
	"net"
	"slices"
	"strings"
	"sync"

	"example.org/deref/schemes/prospero/internal/wire"
)

// Options say what a server has, and how it behaves. A nil *Options, and each zero field, means the ordinary.
type Options struct {
	Addr    string              // where to listen; "" is a free port of 127.0.0.1
	FTP     string              // host:port of an FTP server over the same folder: files are reached there
	Methods map[string][]string // values of ACCESS-METHOD by hsoname, as they stand on a line
	Links   map[string][]string // lines of LIST by hsoname
	Forward map[string]string   // hsoname to host(port): FORWARDED there
	Fault   Fault
}

// A Fault replaces the datagram that the server would send as number n, from 0, by any others.
type Fault func(n int, datagram []byte) [][]byte

// Server is a running server.
type Server struct {
	Addr string // host:port
	URL  string // prospero://host:port

	fsys fs.FS
	o    Options
	sock net.PacketConn
	done sync.WaitGroup

	mu    sync.Mutex
	log   []string
	talks []*talk // the latest ones, oldest first
	sent  int
}

// NewServer starts a server on fsys. Like httptest.NewServer it panics if it cannot listen; see Listen.
func NewServer(fsys fs.FS, o *Options) *Server {
	s, err := Listen(fsys, o)
	if err != nil {
		panic("prosperotest: " + err.Error())
	}
	return s
}

// Listen starts a server on fsys, or says why it cannot.
func Listen(fsys fs.FS, o *Options) (*Server, error) {
	s := &Server{fsys: fsys}
	if o != nil {
		s.o = *o
	}
	addr := s.o.Addr
	if addr == "" {
		addr = "127.0.0.1:0"
	}
	var err error
	if s.sock, err = net.ListenPacket("udp", addr); err != nil {
		return nil, err
	}
	s.Addr = s.sock.LocalAddr().String()
	s.URL = "prospero://" + s.Addr
	s.done.Add(1)
	go s.serve()
	return s, nil
}

// Close returns when no goroutine is left.
func (s *Server) Close() {
	s.sock.Close()
	s.done.Wait()
}

const maxTranscript = 10000

// Transcript is every request so far, without its opening lines.
func (s *Server) Transcript() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.log)
}

// Sent is the number of datagrams that the server has wanted to send.
func (s *Server) Sent() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.sent
}

func (s *Server) note(request string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.log) < maxTranscript {
		s.log = append(s.log, strings.TrimSuffix(request, "\n"))
	}
}

func (s *Server) serve() {
	defer s.done.Done()
	b := make([]byte, 64<<10)
	for {
		n, from, err := s.sock.ReadFrom(b)
		if err != nil {
			return
		}
		h, data, err := wire.Decode(b[:n])
		if err != nil {
			continue
		}
		s.send(from, s.talk(from, h.CID).take(h, data, s.answer))
	}
}

// send sends datagrams, or what the Fault makes of them.
func (s *Server) send(to net.Addr, list [][]byte) {
	for _, d := range list {
		s.mu.Lock()
		n := s.sent
		s.sent++
		s.mu.Unlock()
		out := [][]byte{d}
		if s.o.Fault != nil {
			out = s.o.Fault(n, d)
		}
		for _, d := range out {
			s.sock.WriteTo(d, to)
		}
	}
}

// mostTalks is how many requests are remembered, so that a repeated one is answered without being carried out again.
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
