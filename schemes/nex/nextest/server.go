// Package nextest is a nex server on the loopback interface, for tests of clients and for `deref serve`. It serves any fs.FS:
//
//	srv := nextest.NewServer(os.DirFS("testdata/site"), nil)
//	defer srv.Close()
//	// srv.URL is "nex://127.0.0.1:PORT"
//
// A folder is the list of what is in it, with or without a slash behind it. What is not there is said in a line of text, as real
// servers do: the protocol has no other way.
package nextest

import (
	"bufio"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/url"
	"path"
	"strings"
	"time"

	"example.org/deref/fetch/fetchtest/loopback"
)

// Options say how a server behaves. A nil *Options, and each zero field, means the ordinary.
type Options struct {
	Addr string        // where to listen; "" is a free port of 127.0.0.1
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
	loopback.Default(&s.o.Idle, time.Minute)
	return loopback.Start(s, "nex", s.o.Addr, s.serve)
}

// maxLine bounds a path.
const maxLine = 4096

func (s *Server) serve(c net.Conn) {
	c = loopback.Patient(c, s.o.Idle)
	asked, err := s.Net.Line(c, bufio.NewReaderSize(c, maxLine), s.o.Idle)
	if err != nil {
		return
	}
	w := bufio.NewWriter(c)
	s.answer(w, asked)
	if w.Flush() == nil {
		loopback.Finish(c)
	}
}

func (s *Server) answer(w io.Writer, asked string) {
	name := path.Clean("./" + strings.Trim(asked, "/"))
	if loopback.SendFile(w, s.fsys, name, "") == nil {
		return
	}
	members, err := fs.ReadDir(s.fsys, name)
	if err != nil {
		fmt.Fprint(w, "document not found\n")
		return
	}
	for _, m := range members {
		to := (&url.URL{Path: "./" + m.Name()}).EscapedPath()
		if m.IsDir() {
			to += "/"
		}
		fmt.Fprintf(w, "=> %s %s\n", to, loopback.Label(m.Name()))
	}
}
