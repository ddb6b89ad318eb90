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

// A zone identifier names an interface of this machine, and is nothing to tell a proxy (RFC 6874 section 1).
func TestPromise3NoZoneToAProxy(t *testing.T) {
	for _, scheme := range []string{"http", "socks5"} {
		p, err := proxy.Parse(scheme + "://127.0.0.1:9")
		if err != nil {
			t.Fatal(err)
		}
		c := fetch.New(gopher.Schemes()...)
		c.Dialer = (&proxy.Table{All: p, Connect: func(context.Context, string, string) (net.Conn, error) {
			t.Error("the proxy was contacted")
			return nil, net.ErrClosed
		}}).Dial
		_, err = c.Get(t.Context(), uri.MustParse("gopher://[fe80::1%25eth0]/"), nil)
		c.Close()
		if !errors.Is(err, fetch.ErrRefusedURL) {
			t.Errorf("%s: got %v, want %s", scheme, err, fetch.ErrRefusedURL)
		}
	}
}
