package proxy_test

import (
	"context"
	"errors"
	"net"
	"strings"
	"syscall"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fetchtest/loopback"
	"example.org/deref/fetch/proxy"
	"example.org/deref/schemes/gopher"
	"example.org/deref/uri"
)

// TestProxyThatCannotBeReached: the same kinds and texts as for a server, with the proxy's address.
func TestProxyThatCannotBeReached(t *testing.T) {
	closed := loopback.Reserve(t)
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
			t.Errorf("%s: got %q, kind %s; want %q, kind %s", c.proxy, err, fetch.KindOf(err), c.text, c.kind)
		}
	}
}

// connect resolves no names, whatever the system's resolver does.
func connect(ctx context.Context, network, addr string) (net.Conn, error) {
	if host, _, _ := net.SplitHostPort(addr); host == "nobody.invalid" {
		return nil, &net.OpError{Op: "dial", Net: network, Err: &net.DNSError{Err: "no such host", Name: host, Server: "192.0.2.1:53",
			IsNotFound: true}}
	}
	return new(net.Dialer).DialContext(ctx, network, addr)
}

// A zone identifier names an interface of this machine, and must not be sent to a proxy (RFC 6874 section 1).
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

// TestProxyIsNamed: an error of a proxy contains its address, since a user may have several, but never its password.
func TestProxyIsNamed(t *testing.T) {
	for _, c := range []struct {
		scheme, answer string // the proxy's replies to the first bytes and to the following ones
		more           string
		kind           fetch.Kind
		text           string
	}{
		{"http", "HTTP/1.1 407 Who\r\n\r\n", "", fetch.ErrAuth, "the proxy ADDR requires a password"},
		{"http", "HTTP/1.1 502 No\r\n\r\n", "", fetch.ErrConnect, `proxy ADDR cannot connect to h.example:70: "502 No"`},
		{"http", "HTTP/1.0   407 Who\r\n\r\n", "", fetch.ErrAuth, "the proxy ADDR requires a password"}, // with more blanks, as servers may send
		{"http", "HTTP/1.1 103 Wait\r\nLink: </>\r\n\r\nHTTP/1.1 502 No\r\n\r\n", "", fetch.ErrConnect, `proxy ADDR cannot connect to h.example:70: "502 No"`},
		{"http", "SSH-2.0\r\n\r\n", "", fetch.ErrProtocol, "response of proxy ADDR is not HTTP"},
		{"http", "HTTP/1.1 200", "", fetch.ErrConnect, "response of proxy ADDR: EOF"},
		{"socks5", "\x05\xff", "", fetch.ErrAuth, "proxy ADDR cannot connect to h.example:70: no acceptable authentication methods"},
		{"socks5", "\x05\x02", "\x01\x01", fetch.ErrAuth, "proxy ADDR cannot connect to h.example:70: username/password authentication failed"},
		{"socks5", "\x05\x00", "\x05\x05\x00\x01\x00\x00\x00\x00\x00\x00", fetch.ErrConnect,
			"proxy ADDR cannot connect to h.example:70: connection refused"},
	} {
		addr := answering(t, c.answer, c.more)
		p, err := proxy.Parse(c.scheme + "://ann:OpenSesame@" + addr)
		if err != nil {
			t.Fatal(err)
		}
		client := fetch.New(gopher.Schemes()...)
		client.Dialer = (&proxy.Table{All: p}).Dial
		_, err = client.Get(t.Context(), uri.MustParse("gopher://h.example/"), nil)
		client.Close()
		want := strings.ReplaceAll(c.text, "ADDR", addr)
		if fetch.KindOf(err) != c.kind || err.Error() != want {
			t.Errorf("%s, %q: got %q (%s), want %q (%s)", c.scheme, c.answer, err, fetch.KindOf(err), want, c.kind)
		}
		if e, ok := errors.AsType[*fetch.Error](err); ok && strings.Contains(e.Hint+err.Error(), "OpenSesame") {
			t.Errorf("%s, %q: the password is in %q, %q", c.scheme, c.answer, err, e.Hint)
		}
	}
}

// answering is a server that sends one reply to its first read, and more to the next.
func answering(t *testing.T, answer, more string) string {
	t.Helper()
	return loopback.ForTest(t, func(c net.Conn) {
		buf := make([]byte, 1000)
		for _, a := range []string{answer, more} {
			if a == "" {
				return
			}
			c.Read(buf)
			c.Write([]byte(a))
		}
		c.Read(buf)
	})
}

// planDatagrams is a handler that sends one datagram.
func planDatagrams(u uri.URI, _ *fetch.Options) (*fetch.Plan, error) {
	addr, err := u.HostPort(7000)
	return &fetch.Plan{URI: u, Network: "udp", Addr: addr, Shape: fetch.ShapeDocument, Run: runDatagrams}, err
}

func runDatagrams(ctx context.Context, p *fetch.Plan, env *fetch.Env) (*fetch.Document, error) {
	sock, err := env.Packets(ctx, p.Addr)
	if err != nil {
		return nil, err
	}
	return fetch.NewDocument(nil), sock.Send([]byte("x"), 0)
}

// Datagrams are not sent around a proxy unless the host needs no proxy (promise 4).
func TestPromise4NoDatagramsPastTheProxy(t *testing.T) {
	peer, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer peer.Close()
	p, err := proxy.Parse("socks5://" + loopback.Reserve(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name  string
		table proxy.Table
		want  fetch.Kind
	}{
		{"of every scheme", proxy.Table{All: p}, fetch.ErrDenied},
		{"of this scheme", proxy.Table{Schemes: map[string]*proxy.Proxy{"a": p}}, fetch.ErrDenied},
		{"of another scheme", proxy.Table{Schemes: map[string]*proxy.Proxy{"b": p}}, ""},
		{"a host without proxy", proxy.Table{All: p, Bypass: []string{"127.0.0.0/8"}}, ""},
		{"this machine, by the environment", proxy.Table{All: p, Direct: true}, ""},
	} {
		c := fetch.New(fetch.Scheme{Names: []string{"a"}, Does: fetch.Does{Retrieves: true}, Plan: planDatagrams})
		c.Dialer, c.Datagrams = tt.table.Dial, tt.table.Datagrams
		d, err := c.Get(t.Context(), uri.MustParse("a://"+peer.LocalAddr().String()+"/"), nil)
		if d != nil {
			d.Body.Close()
		}
		c.Close()
		if fetch.KindOf(err) != tt.want || tt.want == "" && err != nil {
			t.Errorf("%s: %v, want the kind %q", tt.name, err, tt.want)
		}
	}
}
