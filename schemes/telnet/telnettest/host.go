package telnettest

import (
	"crypto/tls"
	"fmt"
	"io/fs"
	"net"
	"path"
	"strings"
	"time"

	"example.org/deref/fetch/fetchtest/loopback"
	"example.org/deref/schemes/internal/nvt"
)

// A host serves one session.
type host struct {
	s      *server
	c      net.Conn
	stream *nvt.Stream
	line   []byte
	cr     bool // the last byte was a CR
	asked  int  // requested options without an answer
	begun  bool
	done   bool
	tls    bool // the client has agreed to TLS
	inside bool // TLS has begun by START_TLS

	term, user string
	cols, rows int
}

func (s *server) serve(c net.Conn) {
	if s.o.TLS != nil {
		c = tls.Server(c, s.o.TLS)
	}
	h := &host{s: s, c: c}
	h.stream = nvt.New(h)
	h.greet()
	buf := make([]byte, 4096)
	for !h.done {
		if h.flush() != nil {
			return
		}
		h.c.SetDeadline(time.Now().Add(idle))
		n, err := h.c.Read(buf)
		if err != nil || h.stream.Receive(buf[:n]) != nil {
			return
		}
		if h.tls && h.secure() != nil {
			return
		}
	}
	h.flush()
	loopback.Finish(h.c)
}

func (h *host) flush() error {
	_, err := h.c.Write(h.stream.Output())
	return err
}

// greet requests options. The screen follows when all are answered, as in telnetd.
func (h *host) greet() {
	switch {
	case h.s.o.Plain:
		h.begin()
		return
	case h.s.o.StartTLS != nil && !h.inside:
		h.stream.Ask(nvt.Them, nvt.StartTLS, true)
		return
	}
	for _, opt := range []byte{nvt.TerminalType, nvt.NAWS, nvt.NewEnviron} {
		h.stream.Ask(nvt.Them, opt, true)
		h.asked++
	}
	for _, opt := range []byte{nvt.Echo, nvt.SuppressGA} {
		h.stream.Ask(nvt.Us, opt, true)
	}
}

// secure begins TLS, and a new negotiation.
func (h *host) secure() error {
	if err := h.flush(); err != nil {
		return err
	}
	c := tls.Server(h.c, h.s.o.StartTLS)
	if err := c.Handshake(); err != nil {
		return err
	}
	h.c, h.stream, h.tls, h.inside = c, nvt.New(h), false, true
	h.greet()
	return nil
}

func (h *host) begin() {
	h.begun = true
	h.say(h.text(h.s.o.Screen) + Prompt)
}

// say sends text with network line ends.
func (h *host) say(text string) {
	h.stream.Type([]byte(text))
	h.flush()
}

// text returns the lines of a file, "" if it has no name.
func (h *host) text(name string) string {
	if name == "" {
		return ""
	}
	b, err := loopback.ReadFile(h.s.fsys, path.Clean("./"+name))
	if err != nil {
		return "no such file\n"
	}
	return strings.TrimSuffix(string(b), "\n") + "\n"
}

// Data handles input. A client that sends some before it answers the options, such as nc, may not support them.
func (h *host) Data(p []byte) error {
	if !h.begun {
		h.begin()
	}
	for _, c := range p {
		switch {
		case c == '\r', c == '\n' && !h.cr:
			h.echo("\n")
			line := string(h.line)
			h.line = h.line[:0]
			h.s.Net.Note(line)
			h.obey(line)
		case c == '\n':
		case c == 0x7f && len(h.line) > 0:
			h.line = h.line[:len(h.line)-1]
			h.echo("\b \b")
		case len(h.line) < 1024 && c >= ' ':
			h.line = append(h.line, c)
			h.echo(string([]byte{c}))
		}
		h.cr = c == '\r'
	}
	return nil
}

func (h *host) echo(s string) {
	if h.stream.On(nvt.Us, nvt.Echo) {
		h.say(s)
	}
}

func (h *host) obey(line string) {
	verb, arg, _ := strings.Cut(line, " ")
	switch verb {
	case "":
	case "show":
		h.say(h.text(arg))
	case "list":
		members, _ := fs.ReadDir(h.s.fsys, path.Clean("./"+arg))
		for _, m := range members {
			h.say(m.Name() + "\n")
		}
	case "who":
		h.say(fmt.Sprintf("user %q, terminal %s, %d x %d\n", h.user, h.term, h.cols, h.rows))
	case "quit":
		h.say("Goodbye.\n")
		h.done = true
		return
	default:
		h.say("unknown command\n")
	}
	h.say(Prompt)
}
