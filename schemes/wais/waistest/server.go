package waistest

import (
	"cmp"
	"io/fs"
	"net"
	"time"

	"example.org/deref/fetch/fetchtest/loopback"
	"example.org/deref/schemes/wais/internal/z3950"
)

// Options configure a server. A nil *Options, and each zero field, means the default.
type Options struct {
	Addr      string           // where to listen; "" is a free port of 127.0.0.1
	Network   loopback.Network // nil is the system's
	Databases []Database
	Host      string // host:port in DocIDs; "" is the address that the client has reached
	At        string // host:port in the descriptions of databases; "" is Host
	Folder    string // directory of the indexes, the prefix of their names in DocIDs: "db/"
	ID, Name  string // of the implementation
	Version   string // of the implementation
	Size      int    // the most octets of a frame; 0 is 100000
	Faults    *Faults
}

// A server is a running server. Its Transcript lists the requests as text, with "crash: REASON" where a freeWAIS server would have crashed.
type server struct {
	loopback.Server

	fsys      fs.FS
	o         Options
	f         Faults
	databases map[string]*database
	names     []string // in order
}

const (
	idle      = time.Minute // how long a client may be silent
	frameSize = 100000
)

// NewServer starts a server on fsys. Like httptest.NewServer it panics if it cannot listen; see Listen.
func NewServer(fsys fs.FS, o *Options) *loopback.Server { return loopback.Must(Listen(fsys, o)) }

// Listen starts a server on fsys.
func Listen(fsys fs.FS, o *Options) (*loopback.Server, error) {
	s := &server{fsys: fsys, o: loopback.Given(o)}
	s.f = loopback.Given(s.o.Faults)
	loopback.Default(&s.o.Size, frameSize)
	if s.o.ID == "" {
		s.o.ID, s.o.Name, s.o.Version = "deref", "waistest", "1"
	}
	if len(s.o.Databases) == 0 {
		s.o.Databases = []Database{{Name: "site", Description: "All of the folder that is served."}}
	}
	s.Network = s.o.Network
	ready := make(chan struct{}) // the databases have the server's address, and must be there before the first client
	started, err := loopback.Start(s, "wais", s.o.Addr, func(c net.Conn) { <-ready; s.serve(c) })
	if err != nil {
		return nil, err
	}
	s.o.Host = cmp.Or(s.o.Host, s.Addr)
	s.o.At = cmp.Or(s.o.At, s.o.Host)
	s.addDatabases()
	close(ready)
	return started, nil
}

// serve answers one request after the other.
func (s *server) serve(c net.Conn) {
	frames := z3950.NewReader(c, frameSize)
	w := &writer{loopback.CutWriter{Conn: c, Idle: idle, Cut: s.f.CutAfter, Stall: s.f.StallAfter}, s}
	for {
		c.SetReadDeadline(time.Now().Add(idle))
		h, apdu, err := frames.Next()
		if err != nil {
			return
		}
		answer, ok := s.answer(apdu)
		if !ok || !w.send(h, answer) {
			return
		}
	}
}
