package gophertest

import (
	"bufio"
	"cmp"
	"crypto/tls"
	"errors"
	"io/fs"
	"net"
	"strconv"
	"strings"
	"time"

	"example.org/deref/fetch/fetchtest/loopback"
)

// Options configure a server. A nil *Options means the zero Options.
type Options struct {
	Addr    string           // where to listen; empty means a free port of 127.0.0.1
	Network loopback.Network // nil means the system's
	Host    string           // host and port in menus; empty and 0 mean the address to which the client has connected
	Port    int
	Search  string // selector of the search; empty means "/search"
	Plus    bool   // support Gopher+
	// PlusEnd is how Gopher+ responses end: 1 by their length, -1 by a line of one dot, -2 with the connection. 0 means documents by length,
	// and attributes by a line of one dot.
	PlusEnd int
	TLS     *tls.Config // TLS from the first byte
	// SelfSigned enables TLS with a generated certificate: see loopback.Server.Roots.
	SelfSigned bool
	Idle       time.Duration // how long a client may be silent; 0 means one minute
	Faults     *Faults
}

// A server is a running server.
type server struct {
	loopback.Server

	fsys fs.FS
	o    Options
	f    Faults
}

// idle is the default of Options.Idle.
const idle = time.Minute

// NewServer starts a server on fsys. Like httptest.NewServer it panics if it cannot listen; see Listen.
func NewServer(fsys fs.FS, o *Options) *loopback.Server { return loopback.Must(Listen(fsys, o)) }

// Listen starts a server on fsys.
func Listen(fsys fs.FS, o *Options) (*loopback.Server, error) {
	s := &server{fsys: fsys, o: loopback.Given(o)}
	s.f = loopback.Given(s.o.Faults)
	if s.o.SelfSigned && s.o.TLS == nil {
		var err error
		if s.o.TLS, err = loopback.Certify(s); err != nil {
			return nil, err
		}
	}
	loopback.Default(&s.o.Idle, idle)
	s.o.Search = cmp.Or(s.o.Search, "/search")
	scheme := "gopher"
	if s.o.TLS != nil {
		scheme = "gophers"
	}
	s.Network = s.o.Network
	return loopback.Start(s, scheme, s.o.Addr, s.serve)
}

// maxRequest bounds a request line. RFC 1436 limits selectors to 255 characters; search words and Gopher+ add to that.
const maxRequest = 8192

func (s *server) serve(c net.Conn) {
	if s.o.TLS != nil {
		t := s.Net.AcceptTLS(c, s.o.TLS)
		if t == nil {
			return
		}
		c = t
	}
	r := bufio.NewReaderSize(c, maxRequest)
	c.SetReadDeadline(time.Now().Add(s.o.Idle))
	line, err := r.ReadSlice('\n')
	if err != nil && !(len(line) > 0 && !errors.Is(err, bufio.ErrBufferFull)) {
		return // no request, or one that is too long; a line without its end before a half-close is accepted
	}
	q := parse(string(line), s.o.Plus)
	s.Net.Note(strings.TrimRight(string(line), "\r\n"))
	w := &writer{loopback.CutWriter{Conn: c, Idle: s.o.Idle, Cut: s.f.CutAfter, Stall: s.f.StallAfter}, s}
	if !s.faulty(w, q) {
		q.in = r
		s.answer(w, q)
	}
	w.end()
}

// A request is one line: selector, search words, and the fields of Gopher+.
type request struct {
	line     string
	selector string
	words    string
	plus     string // "+view", "!", "$…", "" for plain gopher
	data     bool   // a data block follows
	in       *bufio.Reader
}

// parse splits a request line at its TABs (RFC 1436 section 3.10; Gopher+ section 2.1).
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

// place returns the host and port for menus.
func (s *server) place(c net.Conn) place {
	host, port, _ := net.SplitHostPort(c.LocalAddr().String())
	if s.o.Port != 0 {
		port = strconv.Itoa(s.o.Port)
	}
	return place{cmp.Or(s.o.Host, host), port}
}
