package waistest

import (
	"io/fs"
	"net"
	"time"

	"example.org/deref/schemes/internal/loopback"
	"example.org/deref/schemes/wais/internal/z3950"
)

// Options say how a server behaves. A nil *Options, and each zero field, means the ordinary.
type Options struct {
	Addr      string // where to listen; "" is a free port of 127.0.0.1
	Databases []Database
	Host      string        // host:port in DocIDs; "" is the address that the client has reached
	At        string        // host:port in the descriptions of databases; "" is Host
	Folder    string        // of the indexes, as it stands before their names in DocIDs: "db/"
	ID, Name  string        // of the implementation
	Version   string        // of the implementation
	Size      int           // the most octets of a frame; 0 is 100000
	Idle      time.Duration // how long a client may stay silent; 0 is one minute
	Faults    *Faults
}

// Server is a running server.
type Server struct {
	Addr string // host:port
	URL  string // wais://host:port

	fsys      fs.FS
	o         Options
	f         Faults
	databases map[string]*database
	names     []string // in order
	net       *loopback.Server
}

const (
	idle      = time.Minute
	frameSize = 100000
)

// NewServer starts a server on fsys. Like httptest.NewServer it panics if it cannot listen; see Listen.
func NewServer(fsys fs.FS, o *Options) *Server {
	s, err := Listen(fsys, o)
	if err != nil {
		panic("waistest: " + err.Error())
	}
	return s
}

// Listen starts a server on fsys, or says why it cannot.
func Listen(fsys fs.FS, o *Options) (*Server, error) {
	s := &Server{fsys: fsys}
	if o != nil {
		s.o = *o
	}
	s.setDefaults()
	ready := make(chan struct{}) // the first client may be faster than these assignments
	ln, err := loopback.Listen(s.o.Addr, func(c net.Conn) { <-ready; s.serve(c) })
	if err != nil {
		return nil, err
	}
	s.net, s.Addr, s.URL = ln, ln.Addr(), "wais://"+ln.Addr()
	if s.o.Host == "" {
		s.o.Host = s.Addr
	}
	if s.o.At == "" {
		s.o.At = s.o.Host
	}
	s.addDatabases()
	close(ready)
	return s, nil
}

func (s *Server) setDefaults() {
	o := &s.o
	if o.Faults != nil {
		s.f = *o.Faults
	}
	if o.Idle <= 0 {
		o.Idle = idle
	}
	if o.Size <= 0 {
		o.Size = frameSize
	}
	if o.ID == "" {
		o.ID, o.Name, o.Version = "deref", "waistest", "1"
	}
	if len(o.Databases) == 0 {
		o.Databases = []Database{{Name: "site", Description: "All of the folder that is served."}}
	}
}

// Close ends every connection and returns when no goroutine is left.
func (s *Server) Close() { s.net.Close() }

// Wait returns when the last client has gone, or after d, and reports which of the two it was.
func (s *Server) Wait(d time.Duration) bool { return s.net.Wait(d) }

// Transcript tells in words what was asked so far, and where a freeWAIS server would have crashed: "crash: REASON".
func (s *Server) Transcript() []string { return s.net.Transcript() }

// Sessions is the number of connections accepted so far.
func (s *Server) Sessions() int { return s.net.Peers() }

// serve answers one request after the other.
func (s *Server) serve(c net.Conn) {
	frames := z3950.NewReader(c, frameSize)
	w := &writer{s: s, c: c}
	for {
		c.SetReadDeadline(time.Now().Add(s.o.Idle))
		h, apdu, err := frames.Next()
		if err != nil {
			return
		}
		answer, ok := s.answer(apdu)
		if !ok || !s.net.Sleep(s.f.Delay) || !w.send(h, answer) {
			return
		}
	}
}
