// Package telnettest is a telnet host (RFC 854) on the loopback interface, for tests of clients and for `deref serve`. Its
// sessions begin with a screen, which is a file of any fs.FS, and a prompt:
//
//	srv := telnettest.NewServer(os.DirFS("testdata/site"), &telnettest.Options{Screen: "history/telnet.txt"})
//	defer srv.Close()
//	// srv.URL is "telnet://127.0.0.1:PORT"
//
// There are four commands: "show NAME" for a file, "list NAME" for a directory, "who" for what the client has sent about itself, and
// "quit". The host echoes, like any host with a terminal driver, and runs no programs.
package telnettest

import (
	"crypto/tls"
	"io/fs"
	"time"

	"example.org/deref/fetch/fetchtest/loopback"
)

// Prompt is what the host sends when it waits.
const Prompt = "lab> "

// Options configure a host. A nil *Options means the zero Options.
type Options struct {
	Addr     string      // where to listen; empty means a free port of 127.0.0.1
	Screen   string      // the file at the beginning of every session
	TLS      *tls.Config // TLS from the first byte: the URL is a telnets one
	StartTLS *tls.Config // the host asks DO START_TLS, and sends nothing before
	Plain    bool        // the host negotiates nothing
}

// idle is how long a client may be silent.
const idle = time.Minute

// A server is a running host. Its Transcript is every line typed.
type server struct {
	loopback.Server

	fsys fs.FS
	o    Options
}

// NewServer starts a host of the files in fsys. Like httptest.NewServer, it panics if it cannot listen.
func NewServer(fsys fs.FS, o *Options) *loopback.Server { return loopback.Must(Listen(fsys, o)) }

// Listen starts a host of the files in fsys.
func Listen(fsys fs.FS, o *Options) (*loopback.Server, error) {
	s := &server{fsys: fsys, o: loopback.Given(o)}
	scheme := "telnet"
	if s.o.TLS != nil {
		scheme = "telnets"
	}
	return loopback.Start(s, scheme, s.o.Addr, s.serve)
}
