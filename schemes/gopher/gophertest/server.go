package gophertest

import (
	"bufio"
	"crypto/tls"
	"errors"
	"io/fs"
	"net"
	"strconv"
	"strings"
	"time"

	"example.org/deref/fetch/fetchtest/loopback"
)

// Manner is how a server writes what RFC 1436 specifies.
type Manner int

const (
	// RFC1436 stuffs and terminates texts and menus, and answers type 3 items
	// for errors.
	RFC1436 Manner = iota
	// Gophernicus turns line ends into CR LF, never stuffs, ends only menus with
	// a dot, quotes odd octets of selectors (#040), lists in columns between a
	// heading and a footer, and has plain-text errors.
	// QUIRK: gophernicus 3.1.1 (seen).
	Gophernicus
	// Pygopherd sends the octets of a file as they are, and never a dot. Its
	// menu lines have a fifth field, "+", and names without suffix.
	// QUIRK: pygopherd 3.0.0-git (seen).
	Pygopherd
)

// Options say how a server behaves. A nil *Options, and each zero field, means
// the ordinary.
type Options struct {
	Addr   string // where to listen; "" is a free port of 127.0.0.1
	Manner Manner
	Host   string // host and port in menus; "" and 0 are the address that the client has reached
	Port   int
	Search string // selector of the search; "" is "/search"
	Plus   bool   // speaks Gopher+; Pygopherd does anyway
	// PlusEnd is how Gopher+ answers end: 1 by their length, -1 by a dot line, -2
	// with the connection; 0 is documents by length and attributes by a dot line
	// (pygopherd: with the connection).
	PlusEnd int
	TLS     *tls.Config // TLS from the first octet
	// SelfSigned is TLS with a certificate of the server's own making: see Server.Roots.
	SelfSigned bool
	Idle       time.Duration // how long a client may stay silent; 0 is one minute
	Faults     *Faults
}

// Server is a running server.
type Server struct {
	loopback.Server // Addr, URL, Close, Transcript, Roots, Wait, Sessions

	fsys fs.FS
	o    Options
	f    Faults
}

// idle is the default of Options.Idle.
const idle = time.Minute

// NewServer starts a server on fsys. Like httptest.NewServer it panics if it
// cannot listen; see Listen.
func NewServer(fsys fs.FS, o *Options) *Server { return loopback.Must(Listen(fsys, o)) }

// Listen starts a server on fsys, or says why it cannot.
func Listen(fsys fs.FS, o *Options) (*Server, error) {
	s := &Server{fsys: fsys, o: loopback.Given(o)}
	if s.o.Faults != nil {
		s.f = *s.o.Faults
	}
	if s.o.SelfSigned && s.o.TLS == nil {
		var err error
		if s.o.TLS, err = loopback.Certify(s); err != nil {
			return nil, err
		}
	}
	loopback.Default(&s.o.Idle, idle)
	if s.o.Search == "" {
		s.o.Search = "/search"
	}
	scheme := "gopher"
	if s.o.TLS != nil {
		scheme = "gophers"
	}
	return loopback.Start(s, scheme, s.o.Addr, s.serve)
}

func (s *Server) plus() bool { return s.o.Plus || s.o.Manner == Pygopherd }

// maxRequest bounds a request line. RFC 1436 wants selectors below 255
// characters; search words and Gopher+ add to that.
const maxRequest = 8192

// handshake is how long a client may take to negotiate TLS.
const handshake = 10 * time.Second

func (s *Server) serve(c net.Conn) {
	if s.o.TLS != nil {
		t := tls.Server(c, s.o.TLS)
		t.SetDeadline(time.Now().Add(handshake))
		if t.HandshakeContext(s.Net.Context()) != nil {
			return
		}
		t.SetDeadline(time.Time{})
		c = t
	}
	r := bufio.NewReaderSize(c, maxRequest)
	c.SetReadDeadline(time.Now().Add(s.o.Idle))
	line, err := r.ReadSlice('\n')
	if err != nil && !(len(line) > 0 && !errors.Is(err, bufio.ErrBufferFull)) {
		return // nothing asked, or too much; a half-closed line without its end will do
	}
	q := parse(string(line), s.plus())
	s.Net.Note(strings.TrimRight(string(line), "\r\n"))
	w := &writer{s: s, c: c}
	if !s.faulty(w, q) {
		q.in = r
		s.answer(w, q)
	}
	w.end()
}

// request is one line: selector, search words, and what Gopher+ adds.
type request struct {
	line     string
	selector string
	words    string
	plus     string // "+view", "!", "$…", "" for plain gopher
	data     bool   // a data block follows
	in       *bufio.Reader
}

// parse splits a request line at its TABs (RFC 1436 §3.10; Gopher+ §2.1).
func parse(line string, plus bool) request {
	line = strings.TrimRight(line, "\r\n")
	f := strings.Split(line, "\t")
	q := request{line: line, selector: f[0]}
	f = f[1:]
	if len(f) > 0 && (!plus || !isPlus(f[0])) {
		q.words, f = f[0], f[1:]
	}
	if !plus {
		return q
	}
	if len(f) > 0 && isPlus(f[0]) {
		q.plus = f[0]
		q.data = len(f) > 1 && f[1] == "1"
	}
	return q
}

func isPlus(f string) bool { return f != "" && strings.IndexByte("+!$", f[0]) >= 0 }

// place is the host and port that menus lead to.
func (s *Server) place(c net.Conn) (host, port string) {
	host, port, _ = net.SplitHostPort(c.LocalAddr().String())
	if s.o.Host != "" {
		host = s.o.Host
	}
	if s.o.Port != 0 {
		port = strconv.Itoa(s.o.Port)
	}
	return host, port
}
