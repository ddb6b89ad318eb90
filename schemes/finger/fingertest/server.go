// Package fingertest is a finger server (RFC 1288) on the loopback interface, for tests of clients and for `deref serve`. It
// serves any fs.FS, whose files are the users:
//
//	srv := fingertest.NewServer(os.DirFS("testdata/site"), nil)
//	defer srv.Close()
//	// srv.URL is "finger://127.0.0.1:PORT"
//
// The name of a user is the path of a file, and the file is what there is to be said: with the line ends of the network, and
// behind a line of its name where the long form (/W) is asked for. A folder, and the void name, is the list of those in it. The
// server asks no other host.
package fingertest

import (
	"bufio"
	"fmt"
	"io"
	"io/fs"
	"net"
	"path"
	"strings"
	"time"

	"example.org/deref/fetch/fetchtest/loopback"
	"example.org/deref/schemes/internal/crlf"
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
	return loopback.Start(s, "finger", s.o.Addr, s.serve)
}

// maxLine bounds a query.
const maxLine = 1024

func (s *Server) serve(c net.Conn) {
	c = loopback.Patient(c, s.o.Idle)
	query, err := s.Net.Line(c, bufio.NewReaderSize(c, maxLine), s.o.Idle)
	if err != nil {
		return
	}
	out := bufio.NewWriter(crlf.NewWriter(c))
	s.answer(out, query)
	if out.Flush() == nil {
		loopback.Finish(c)
	}
}

// answer reads {Q1} and {Q2} of RFC 1288 §2.3.
func (s *Server) answer(w io.Writer, query string) {
	user, long := strings.CutPrefix(query, "/W")
	user = strings.TrimSpace(user)
	if strings.Contains(user, "@") {
		fmt.Fprintf(w, "finger: forwarding service denied.\n") // RFC 1288 §3.2.1 wants refusing to be possible
		return
	}
	name := path.Clean("./" + user)
	head := ""
	if long {
		head = "Login: " + name + "\n"
	}
	if loopback.SendFile(w, s.fsys, name, head) != nil {
		s.list(w, name, user)
	}
}

// list tells who is in a folder.
func (s *Server) list(w io.Writer, name, user string) {
	members, err := fs.ReadDir(s.fsys, name)
	if err != nil {
		fmt.Fprintf(w, "finger: %s: no such user.\n", user)
		return
	}
	fmt.Fprintf(w, "Login\n")
	for _, m := range members {
		if name := path.Join(user, m.Name()); name == loopback.Label(name) { // others cannot be asked for
			fmt.Fprintf(w, "%s\n", name)
		}
	}
}
