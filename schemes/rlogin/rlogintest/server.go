// Package rlogintest is a host of BSD's rlogin (RFC 1282) on the loopback interface, for tests of clients and for `deref serve`. Its
// sessions begin with a screen, which is a file of any fs.FS, and a prompt:
//
//	srv := rlogintest.NewServer(os.DirFS("testdata/site"), &rlogintest.Options{Screen: "history/telnet.txt"})
//	defer srv.Close()
//	// srv.URL is "rlogin://127.0.0.1:PORT"
//
// There are three commands: "show NAME" for a file, "who" for what the client has sent about itself, and "quit". The host echoes, and runs
// no programs. It trusts everybody.
package rlogintest

import (
	"fmt"
	"io"
	"io/fs"
	"net"
	"path"
	"strings"

	"example.org/deref/fetch/fetchtest/loopback"
	"example.org/deref/schemes/internal/lineproto"
)

// Prompt is what the host sends when it waits.
const Prompt = "lab> "

// Options configure a host. A nil *Options means the zero Options.
type Options struct {
	Addr    string // where to listen; empty means a free port of 127.0.0.1
	Screen  string // the file that every session begins with
	Refuse  string // sent instead of the NUL
	LowPort bool   // close the connection at once unless the client's port is below 1024
}

// NewServer starts a host of the files in fsys. Like httptest.NewServer, it panics if it cannot listen. The Transcript has the three
// strings of each opening, on one line, and each line typed.
func NewServer(fsys fs.FS, o *Options) *loopback.Server { return loopback.Must(Listen(fsys, o)) }

// Listen starts a host of the files in fsys; see NewServer.
func Listen(fsys fs.FS, o *Options) (*loopback.Server, error) {
	given := loopback.Given(o)
	return loopback.Serve("rlogin", given.Addr, 0, func(c *loopback.Conn) { serve(c, fsys, &given) })
}

// maxString limits a line.
const maxString = 1024

// A host serves one session.
type host struct {
	fsys       fs.FS
	c          *loopback.Conn
	out        io.Writer // c with network line ends
	opening    [3]string
	rows, cols int
}

func serve(c *loopback.Conn, fsys fs.FS, o *Options) {
	if a, ok := c.RemoteAddr().(*net.TCPAddr); o.LowPort && ok && a.Port >= 1024 {
		return
	}
	h := &host{fsys: fsys, c: c, out: lineproto.NewLineWriter(c)}
	if first, err := c.ReadByte(); err != nil || first != 0 || h.open() != nil {
		return
	}
	c.Note(strings.Join(h.opening[:], " "))
	if o.Refuse != "" {
		io.WriteString(c, "\x01"+o.Refuse+"\r\n")
		return
	}
	c.WriteByte(0)
	h.show(o.Screen)
	for more := true; more; {
		io.WriteString(h.out, Prompt)
		line, err := h.line()
		if err != nil {
			return
		}
		c.Note(line)
		more = h.obey(line)
	}
}

// open reads the client's user, the host's user and the terminal.
func (h *host) open() error {
	for i := range h.opening {
		b, err := h.c.ReadSlice(0)
		if err != nil {
			return err
		}
		h.opening[i] = string(b[:len(b)-1])
	}
	return nil
}

// line reads and echoes a line of input, and handles the window sizes in it.
func (h *host) line() (string, error) {
	var line []byte
	for {
		c, err := h.c.ReadByte()
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

// size reads a window size (RFC 1282) after its byte ff.
func (h *host) size() {
	p, err := h.c.Peek(11)
	if err != nil || string(p[:3]) != "\xffss" {
		return
	}
	h.rows, h.cols = int(p[3])<<8|int(p[4]), int(p[5])<<8|int(p[6])
	h.c.Discard(len(p))
}

func (h *host) show(name string) {
	if name == "" {
		return
	}
	b, err := loopback.ReadFile(h.fsys, path.Clean("./"+name))
	if err != nil {
		b = []byte("no such file")
	}
	io.WriteString(h.out, strings.TrimSuffix(string(b), "\n")+"\n")
}

// obey executes a command, and reports whether the session continues.
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
