// Package csotest is a CCSO nameserver (RFC 2378) on the loopback interface, for tests of clients and for `deref serve`. It serves
// any fs.FS, whose files are the people:
//
//	srv := csotest.NewServer(os.DirFS("testdata/site"), nil)
//	defer srv.Close()
//	// srv.URL is "cso://127.0.0.1:PORT"
//
// The alias of an entry is the path of its file, the name its words, and the text its lines. A query is made of words, which must
// all be found in the name, and of field=value; * stands for anything, and case does not matter. "return" chooses fields; without
// it alias and name come.
package csotest

import (
	"bufio"
	"fmt"
	"io/fs"
	"net"
	"strings"
	"time"

	"example.org/deref/fetch/fetchtest/loopback"
)

// Options say how a server behaves. A nil *Options, and each zero field, means the ordinary.
type Options struct {
	Addr string        // where to listen; "" is a free port of 127.0.0.1
	Most int           // a query that finds more is refused (502); 0 is 100
	Idle time.Duration // how long a client may stay silent; 0 is one minute
}

// Server is a running server.
type Server struct {
	loopback.Base // Addr, URL, Close, Transcript

	fsys fs.FS
	o    Options
}

// NewServer starts a server on fsys. Like httptest.NewServer it panics if it cannot listen; see Listen.
func NewServer(fsys fs.FS, o *Options) *Server { return loopback.Must(Listen(fsys, o)) }

// Listen starts a server on fsys, or says why it cannot.
func Listen(fsys fs.FS, o *Options) (*Server, error) {
	s := &Server{fsys: fsys, o: loopback.Given(o)}
	loopback.Default(&s.o.Most, 100)
	loopback.Default(&s.o.Idle, time.Minute)
	return loopback.Start(s, "cso", s.o.Addr, s.serve)
}

// maxLine bounds a command.
const maxLine = 4096

func (s *Server) serve(c net.Conn) {
	c = loopback.Patient(c, s.o.Idle)
	defer loopback.Finish(c)
	in, w := bufio.NewReaderSize(c, maxLine), bufio.NewWriter(c)
	defer w.Flush()
	for {
		if in.Buffered() == 0 && w.Flush() != nil { // a flight of commands is answered in one
			return
		}
		command, err := s.Net.Line(c, in, s.o.Idle)
		if err != nil {
			return
		}
		switch verb, rest, _ := strings.Cut(command, " "); strings.ToLower(verb) {
		case "quit":
			fmt.Fprint(w, "203:Bye, bye\r\n")
			return
		case "fields":
			s.fields(w)
		case "query":
			s.query(w, rest)
		default:
			fmt.Fprint(w, "514:Unknown command.\r\n")
		}
	}
}
