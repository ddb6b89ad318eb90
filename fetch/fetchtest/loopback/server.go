package loopback

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"
	"strings"
	"time"
)

// A Server is a running server. Serve starts one from a single function. A server with state of its own embeds a Server in an unexported
// struct, and returns what Start returns.
type Server struct {
	Addr string    // host:port
	URL  string    // scheme://host:port
	Net  *Listener // for the server itself

	Network Network // where Start listens; nil means the system's network

	roots *x509.CertPool
}

func (s *Server) server() *Server { return s }

// An Embedder is a struct that embeds a Server.
type Embedder interface{ server() *Server }

// Start listens on addr as Listen does, and returns the Server in s. Its fields are set before serve is called for the first time.
func Start(s Embedder, scheme, addr string, serve func(net.Conn)) (*Server, error) {
	b := s.server()
	l, err := open(b.Network, addr)
	if err != nil {
		return nil, err
	}
	b.Network, b.Net, b.Addr, b.URL = l.on, l, l.Addr(), scheme+"://"+l.Addr()
	l.start(serve)
	return b, nil
}

// Certify returns a TLS configuration with a new certificate, which the Roots of s verify.
func Certify(s Embedder) (cfg *tls.Config, err error) {
	cfg, s.server().roots, err = SelfSigned()
	return cfg, err
}

// Close closes all connections and returns when no goroutine of the server is left.
func (s *Server) Close() { s.Net.Close() }

// Transcript returns all lines (requests, commands) received so far, without line ends, in the order of the connections. It includes all
// lines sent over connections that their clients have closed. Secrets are included.
func (s *Server) Transcript() []string { return s.Net.Transcript() }

// Roots returns the roots that verify the certificate made by Certify. It returns nil if there is none.
func (s *Server) Roots() *x509.CertPool { return s.roots }

// Wait waits until all clients have left, but not longer than d, and reports whether they have. The Transcript is complete then: it has
// also the lines whose sender did not wait for a reply, such as QUIT.
func (s *Server) Wait(d time.Duration) bool { return s.Net.Wait(d) }

// Sessions returns the number of connections accepted so far.
func (s *Server) Sessions() int { return s.Net.Peers() }

// Must returns s, for NewServer functions. It panics if err is not nil, with the name of the package that defines S in the message.
func Must[S any](s S, err error) S {
	if err != nil {
		name, _, _ := strings.Cut(strings.TrimPrefix(fmt.Sprintf("%T", s), "*"), ".")
		panic(name + ": " + err.Error())
	}
	return s
}

// Base returns the Server that s embeds, for programs that treat all servers alike.
func Base[S Embedder](s S, err error) (*Server, error) {
	if err != nil {
		return nil, err
	}
	return s.server(), nil
}

// Running returns the URL of a server that a Listen function has started, and the function that stops it.
func Running[S Embedder](s S, err error) (url string, stop func(), _ error) {
	if err != nil {
		return "", nil, err
	}
	return s.server().URL, s.server().Close, nil
}

// Given returns *o, or the zero Options if o is nil.
func Given[O any](o *O) (given O) {
	if o != nil {
		given = *o
	}
	return given
}

// Default sets an option that is not positive.
func Default[N int | time.Duration](option *N, to N) {
	if *option <= 0 {
		*option = to
	}
}
