// Package dicttest is a dictionary server (RFC 2229) on the loopback interface, for tests of clients and for `deref serve`. It
// serves any fs.FS:
//
//	srv := dicttest.NewServer(os.DirFS("testdata/site"), nil)
//	defer srv.Close()
//	// srv.URL is "dict://127.0.0.1:PORT"
//
// Its databases are the folders at the root, by name, and "root" for the files there. A word is the name of a file without its
// suffix, the folders below a database are not looked into, and the file is the definition: with the line ends of the network.
// Files of one name make several definitions. The strategies are exact, prefix (also ".") and substring; case does not matter.
package dicttest

import (
	"bufio"
	"io/fs"
	"net"
	"time"

	"example.org/deref/fetch/fetchtest/loopback"
)

// Options say how a server behaves. A nil *Options, and each zero field, means the ordinary.
type Options struct {
	Addr   string            // where to listen; "" is a free port of 127.0.0.1
	Users  map[string]string // names and secrets; only who proves to know one (AUTH) is answered, unless there are none
	Strict bool              // refuses CLIENT, as servers may that do not know it
	Idle   time.Duration     // how long a client may stay silent; 0 is one minute
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
	return loopback.Start(s, "dict", s.o.Addr, s.serve)
}

// maxLine bounds a command (RFC 2229 §2.3).
const maxLine = 1024

func (s *Server) serve(c net.Conn) {
	c = loopback.Patient(c, s.o.Idle)
	defer loopback.Finish(c)
	k := &session{s: s, w: bufio.NewWriter(c), in: len(s.o.Users) == 0}
	in := bufio.NewReaderSize(c, maxLine)
	k.say("220 dicttest <auth> %s", msgID)
	for !k.over {
		if in.Buffered() == 0 && k.w.Flush() != nil { // a flight of commands is answered in one
			return
		}
		command, err := s.Net.Line(c, in, s.o.Idle)
		if err != nil {
			return
		}
		k.command(command)
	}
	k.w.Flush()
}
