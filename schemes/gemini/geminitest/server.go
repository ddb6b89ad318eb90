// Package geminitest is a gemini server on the loopback interface, for tests of clients and for `deref serve`. It serves any
// fs.FS:
//
//	srv := geminitest.NewServer(os.DirFS("testdata/site"), nil)
//	defer srv.Close()
//	// srv.URL is "gemini://127.0.0.1:PORT"
//	client.TLS = &tls.Config{RootCAs: srv.Roots()}
//
// A directory is its file index.gmi or the list of its files. Without the slash at its end it is a redirect. The suffix determines the
// media type. Options.Search requests input and searches names and texts, the directory Options.Private requires a client certificate, and
// Options.Reply sets any response.
package geminitest

import (
	"bufio"
	"cmp"
	"crypto/tls"
	"io/fs"
	"net"
	"strings"
	"time"

	"example.org/deref/fetch/fetchtest/loopback"
)

// Options configure a server. A nil *Options means the zero Options.
type Options struct {
	Addr    string            // where to listen; "" is a free port of 127.0.0.1
	TLS     *tls.Config       // its certificate; nil is one of the server's own making: see loopback.Server.Roots
	Search  string            // path of the search; empty means "/search"
	Private string            // a directory that requires a client certificate: "/private/"
	Reply   map[string]string // by path, with or without the query: the raw response
	Idle    time.Duration     // how long a client may stay silent; 0 is one minute
}

// A server is a running server.
type server struct {
	loopback.Server

	fsys fs.FS
	o    Options
}

// NewServer starts a server on fsys. Like httptest.NewServer it panics if it cannot listen; see Listen.
func NewServer(fsys fs.FS, o *Options) *loopback.Server { return loopback.Must(Listen(fsys, o)) }

// Listen starts a server on fsys.
func Listen(fsys fs.FS, o *Options) (*loopback.Server, error) {
	s := &server{fsys: fsys, o: loopback.Given(o)}
	if s.o.TLS == nil {
		var err error
		if s.o.TLS, err = loopback.Certify(s); err != nil {
			return nil, err
		}
	}
	s.o.TLS = s.o.TLS.Clone()
	s.o.TLS.ClientAuth = tls.RequestClientCert
	s.o.Search = cmp.Or(s.o.Search, "/search")
	loopback.Default(&s.o.Idle, time.Minute)
	return loopback.Start(s, "gemini", s.o.Addr, s.serve)
}

// maxLine is the longest request with its CRLF.
const maxLine = 1024 + 2

func (s *server) serve(c net.Conn) {
	t := s.Net.AcceptTLS(loopback.Patient(c, s.o.Idle), s.o.TLS)
	if t == nil {
		return
	}
	inside := s.Net.Decrypted(t)
	line, err := bufio.NewReaderSize(inside, maxLine).ReadSlice('\n')
	if err != nil && err != bufio.ErrBufferFull {
		return
	}
	request := strings.TrimRight(string(line), "\r\n")
	s.Net.Note(request)
	w := bufio.NewWriter(inside)
	if err != nil { // the line is too long
		request = ""
	}
	s.answer(w, request, len(t.ConnectionState().PeerCertificates) > 0)
	if w.Flush() == nil {
		loopback.Finish(inside)
	}
}
