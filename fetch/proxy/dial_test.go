package proxy_test

import (
	"context"
	"errors"
	"net"
	"syscall"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/fetch/proxy"
	"example.org/deref/schemes/gopher"
	"example.org/deref/uri"
)

// TestProxyThatCannotBeReached: the same kinds and words as of a server, with the proxy named.
func TestProxyThatCannotBeReached(t *testing.T) {
	closed := nobody(t)
	for _, c := range []struct {
		proxy string
		kind  fetch.Kind
		text  string
		cause error
	}{
		{"http://" + closed, fetch.ErrConnect, "the proxy: " + closed + ": connection refused", syscall.ECONNREFUSED},
		{"socks5://" + closed, fetch.ErrConnect, "the proxy: " + closed + ": connection refused", syscall.ECONNREFUSED},
		{"http://nobody.invalid:80", fetch.ErrDNS, "the proxy: the host nobody.invalid has no address: no such host", nil},
	} {
		p, err := proxy.Parse(c.proxy)
		if err != nil {
			t.Fatal(err)
		}
		client := fetch.New(gopher.Schemes()...)
		client.Dialer = (&proxy.Table{All: p, Connect: connect}).Dial
		_, err = client.Get(t.Context(), uri.MustParse("gopher://h.example/"), nil)
		client.Close()
		if fetch.KindOf(err) != c.kind || err.Error() != c.text || c.cause != nil && !errors.Is(err, c.cause) {
			t.Errorf("%s: %q, of the kind %s", c.proxy, err, fetch.KindOf(err))
		}
	}
}

// connect knows no name, whoever the system's resolver asks.
func connect(ctx context.Context, network, addr string) (net.Conn, error) {
	if host, _, _ := net.SplitHostPort(addr); host == "nobody.invalid" {
		return nil, &net.OpError{Op: "dial", Net: network, Err: &net.DNSError{Err: "no such host", Name: host, Server: "192.0.2.1:53", IsNotFound: true}}
	}
	return new(net.Dialer).DialContext(ctx, network, addr)
}

// nobody is an address where nobody listens.
func nobody(t *testing.T) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}
