// Package rlogintest is a host of BSD's rlogin (RFC 1282) on the loopback interface, for tests of clients and for `deref serve`. Its
// sessions begin with a screen, which is a file of any fs.FS, and a prompt:
//
//	srv := rlogintest.NewServer(os.DirFS("testdata/site"), &rlogintest.Options{Screen: "history/telnet.txt"})
//	defer srv.Close()
//	// srv.URL is "rlogin://127.0.0.1:PORT"
//
// Three commands are known: "show NAME" for a file, "who" for what the client has told of itself, and "quit". The host echoes, and
// runs nothing. It trusts everybody.
package rlogintest

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

// Prompt is what the host says when it waits.
const Prompt = "lab> "

// Options say how a host behaves. A nil *Options, and each zero field, means the ordinary.
type Options struct {
	Addr    string        // where to listen; "" is a free port of 127.0.0.1
	Screen  string        // the file that every session begins with
	Idle    time.Duration // how long a client may stay silent; 0 is one minute
	Refuse  string        // said instead of the NUL
	LowPort bool          // close without a word unless the client's port is below 1024
}

// Server is a running host. Its Transcript is the three strings of each opening, and every line typed.
type Server struct {
	loopback.Base // Addr, URL, Close, Transcript

	fsys fs.FS
	o    Options
}

// NewServer starts a host on fsys. Like httptest.NewServer it panics if it cannot listen; see Listen.
func NewServer(fsys fs.FS, o *Options) *Server { return loopback.Must(Listen(fsys, o)) }

// Listen starts a host on fsys, or says why it cannot.
func Listen(fsys fs.FS, o *Options) (*Server, error) {
	s := &Server{fsys: fsys, o: loopback.Given(o)}
	loopback.Default(&s.o.Idle, time.Minute)
	return loopback.Start(s, "rlogin", s.o.Addr, s.serve)
}

// maxString bounds a string of the opening, and a line.
const maxString = 1024

// A host is one session.
type host struct {
	s          *Server
	in         *bufio.Reader
	out        io.Writer // makes CR LF of the line ends
	opening    [3]string
	rows, cols int
}

func (s *Server) serve(c net.Conn) {
	if a, ok := c.RemoteAddr().(*net.TCPAddr); s.o.LowPort && ok && a.Port >= 1024 {
		return
	}
	c = loopback.Patient(c, s.o.Idle)
	h := &host{s: s, in: bufio.NewReaderSize(c, maxString), out: crlf.NewWriter(c)}
	if first, err := h.in.ReadByte(); err != nil || first != 0 || h.open() != nil {
		return
	}
	s.Net.Note(strings.Join(h.opening[:], " "))
	if s.o.Refuse != "" {
		io.WriteString(c, "\x01"+s.o.Refuse+"\r\n")
		loopback.Finish(c)
		return
	}
	if _, err := c.Write([]byte{0}); err != nil {
		return
	}
	h.show(s.o.Screen)
	for {
		io.WriteString(h.out, Prompt)
		line, err := h.line()
		if err != nil {
			return
		}
		s.Net.Note(line)
		if !h.obey(line) {
			loopback.Finish(c)
			return
		}
	}
}

// open reads the client's user, the host's user and the terminal.
func (h *host) open() error {
	for i := range h.opening {
		b, err := h.in.ReadSlice(0)
		if err != nil {
			return err
		}
		h.opening[i] = string(b[:len(b)-1])
	}
	return nil
}

// line reads what is typed, echoes it, and takes the sizes that stand between.
func (h *host) line() (string, error) {
	var line []byte
	for {
		c, err := h.in.ReadByte()
		if err != nil {
			return "", err
		}
		switch {
		case c == 0xff:
			h.size()
		case c == '\r', c == '\n':
			io.WriteString(h.out, "\n")
			return string(line), nil
		case len(line) < maxString:
			line = append(line, c)
			h.out.Write([]byte{c})
		}
	}
}

// size takes a window's size (RFC 1282): the octet ff has been read.
func (h *host) size() {
	p, err := h.in.Peek(11)
	if err != nil || string(p[:3]) != "\xffss" {
		return
	}
	h.rows, h.cols = int(p[3])<<8|int(p[4]), int(p[5])<<8|int(p[6])
	h.in.Discard(len(p))
}

func (h *host) show(name string) {
	if name == "" {
		return
	}
	b, err := loopback.ReadFile(h.s.fsys, path.Clean("./"+name))
	if err != nil {
		b = []byte("no such file")
	}
	io.WriteString(h.out, strings.TrimSuffix(string(b), "\n")+"\n")
}

// obey reports whether the session goes on.
func (h *host) obey(line string) bool {
	verb, arg, _ := strings.Cut(line, " ")
	switch verb {
	case "":
	case "show":
		h.show(arg)
	case "who":
		fmt.Fprintf(h.out, "%s is %s at %s, %d x %d\n", h.opening[0], h.opening[1], h.opening[2], h.cols, h.rows)
	case "quit":
		io.WriteString(h.out, "Goodbye.\n")
		return false
	default:
		io.WriteString(h.out, "unknown command\n")
	}
	return true
}
