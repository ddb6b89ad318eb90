// Package spartantest is a spartan server on the loopback interface, for tests of clients and for `deref serve`. It serves any
// fs.FS:
//
//	srv := spartantest.NewServer(os.DirFS("testdata/site"), nil)
//	defer srv.Close()
//	// srv.URL is "spartan://127.0.0.1:PORT"
//
// A folder is the list of what is in it, and a redirect where the slash behind it is missing. /echo answers with the data that came
// along.
package spartantest

import (
	"bufio"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/url"
	"path"
	"strconv"
	"strings"
	"time"

	"example.org/deref/fetch/fetchtest/loopback"
	"example.org/deref/schemes/internal/mediatype"
)

// Options say how a server behaves. A nil *Options, and each zero field, means the ordinary.
type Options struct {
	Addr  string            // where to listen; "" is a free port of 127.0.0.1
	Reply map[string]string // by path: the whole answer, as it stands
	Idle  time.Duration     // how long a client may stay silent; 0 is one minute
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
	return loopback.Start(s, "spartan", s.o.Addr, s.serve)
}

const (
	maxLine = 4096
	maxData = 1 << 20
)

func (s *Server) serve(c net.Conn) {
	c = loopback.Patient(c, s.o.Idle)
	in, w := bufio.NewReaderSize(c, maxLine), bufio.NewWriter(c)
	request, err := s.Net.Line(c, in, s.o.Idle)
	if err != nil {
		return
	}
	f := strings.Split(request, " ")
	if n, err := strconv.Atoi(f[len(f)-1]); len(f) != 3 || err != nil || n < 0 || n > maxData {
		io.WriteString(w, "4 the request is host, path and length\r\n")
	} else if data := make([]byte, n); n > 0 {
		if _, err := io.ReadFull(in, data); err != nil {
			return
		}
		s.answer(w, f[1], data)
	} else {
		s.answer(w, f[1], nil)
	}
	if w.Flush() == nil {
		loopback.Finish(c)
	}
}

func (s *Server) answer(w io.Writer, asked string, data []byte) {
	decoded, err := url.PathUnescape(asked)
	name := path.Clean("./" + strings.Trim(decoded, "/"))
	info, statErr := fs.Stat(s.fsys, name)
	switch {
	case s.o.Reply[asked] != "":
		io.WriteString(w, s.o.Reply[asked])
	case asked == "/echo":
		fmt.Fprintf(w, "2 text/plain\r\n%s", data)
	case err != nil || statErr != nil:
		io.WriteString(w, "4 there is no such document\r\n")
	case !info.IsDir():
		s.file(w, name)
	case !strings.HasSuffix(asked, "/"):
		fmt.Fprintf(w, "3 %s/\r\n", asked)
	default:
		s.folder(w, name)
	}
}

func (s *Server) file(w io.Writer, name string) {
	t, _ := mediatype.OfName(name)
	if t == "" {
		t = mediatype.Unknown
	}
	if loopback.SendFile(w, s.fsys, name, "2 "+t+"\r\n") != nil {
		io.WriteString(w, "5 the document cannot be read\r\n")
	}
}

func (s *Server) folder(w io.Writer, name string) {
	members, err := fs.ReadDir(s.fsys, name)
	if err != nil {
		io.WriteString(w, "5 the folder cannot be read\r\n")
		return
	}
	fmt.Fprintf(w, "2 text/gemini\r\n# %s\n", loopback.Label(path.Join("/", name)))
	for _, m := range members {
		to := (&url.URL{Path: "./" + m.Name()}).EscapedPath()
		if m.IsDir() {
			to += "/"
		}
		fmt.Fprintf(w, "=> %s %s\n", to, loopback.Label(m.Name()))
	}
}
