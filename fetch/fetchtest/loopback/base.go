package loopback

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"
	"strings"
	"time"
)

// Base is what the servers of all schemes have in common, to be embedded in theirs. Its methods are for their users; what only the
// servers need are functions, and the methods of Net.
type Base struct {
	Addr string // host:port
	URL  string // the scheme, and host:port
	Net  *Server

	roots *x509.CertPool
}

func (b *Base) base() *Base { return b }

// A based server is one that embeds a Base.
type based interface{ base() *Base }

// Start opens addr, serves (see Listen), and returns s. The fields of its Base are set before the first client is served.
func Start[S based](s S, scheme, addr string, serve func(net.Conn)) (S, error) {
	l, err := open(addr)
	if err != nil {
		var none S
		return none, err
	}
	b := s.base()
	b.Net, b.Addr, b.URL = l, l.Addr(), scheme+"://"+l.Addr()
	l.start(serve)
	return s, nil
}

// Certify makes a certificate for s, whose Roots believe it.
func Certify(s based) (cfg *tls.Config, err error) {
	cfg, s.base().roots, err = SelfSigned()
	return cfg, err
}

// Close ends every connection and returns when no goroutine is left.
func (b *Base) Close() { b.Net.Close() }

// Transcript returns every line (request, command) received so far, over all connections, verbatim, without line end. What was sent over
// a connection that its client has closed is in it, before the lines of connections opened later. Secrets are in it: they are the test's own.
func (b *Base) Transcript() []string { return b.Net.Transcript() }

// Roots are what a client must trust to believe a certificate of the server's own making; nil if it has none.
func (b *Base) Roots() *x509.CertPool { return b.roots }

// Wait returns when the last client has gone, or after d, and reports which of the two it was. After it the Transcript holds what
// clients said without waiting for a reply (QUIT).
func (b *Base) Wait(d time.Duration) bool { return b.Net.Wait(d) }

// Sessions returns the number of connections opened so far.
func (b *Base) Sessions() int { return b.Net.Peers() }

// Must is for NewServer functions: it panics with err in the name of the server's package.
func Must[S any](s S, err error) S {
	if err != nil {
		name, _, _ := strings.Cut(strings.TrimPrefix(fmt.Sprintf("%T", s), "*"), ".")
		panic(name + ": " + err.Error())
	}
	return s
}

// Given is what o points to, or the zero Options where there are none.
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
