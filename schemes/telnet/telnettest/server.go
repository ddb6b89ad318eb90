// Package telnettest is a telnet host (RFC 854) on the loopback interface, for tests of clients and for `deref serve`. Its
// sessions begin with a screen, which is a file of any fs.FS, and a prompt:
//
//	srv := telnettest.NewServer(os.DirFS("testdata/site"), &telnettest.Options{Screen: "history/telnet.txt"})
//	defer srv.Close()
//	// srv.URL is "telnet://127.0.0.1:PORT"
//
// Four commands are known: "show NAME" for a file, "list NAME" for a folder, "who" for what the client has told of itself, and
// "quit". The host echoes, like all that have a terminal driver, and runs nothing.
package telnettest

import (
	"crypto/tls"
	"io/fs"
	"time"

	"example.org/deref/fetch/fetchtest/loopback"
)

// Prompt is what the host says when it waits.
const Prompt = "lab> "

// Options say how a host behaves. A nil *Options, and each zero field, means the ordinary.
type Options struct {
	Addr     string        // where to listen; "" is a free port of 127.0.0.1
	Screen   string        // the file that every session begins with
	Idle     time.Duration // how long a client may stay silent; 0 is one minute
	TLS      *tls.Config   // TLS from the first octet: the URL is a telnets one
	StartTLS *tls.Config   // the host asks DO START_TLS, and says nothing before
	Plain    bool          // the host negotiates nothing
}

// Server is a running host. Its Transcript is every line typed.
type Server struct {
	loopback.Server // Addr, URL, Close, Transcript

	fsys fs.FS
	o    Options
}

// NewServer starts a host on fsys. Like httptest.NewServer it panics if it cannot listen; see Listen.
func NewServer(fsys fs.FS, o *Options) *Server { return loopback.Must(Listen(fsys, o)) }

// Listen starts a host on fsys, or says why it cannot.
func Listen(fsys fs.FS, o *Options) (*Server, error) {
	s := &Server{fsys: fsys, o: loopback.Given(o)}
	loopback.Default(&s.o.Idle, time.Minute)
	scheme := "telnet"
	if s.o.TLS != nil {
		scheme = "telnets"
	}
	return loopback.Start(s, scheme, s.o.Addr, s.serve)
}
