package http_test

import (
	"bufio"
	"crypto/tls"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	nethttp "net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fetchtest/loopback"
	"example.org/deref/fetch/policy"
	"example.org/deref/fetch/proxy"
	"example.org/deref/schemes/http"
)

// relay is an HTTP proxy of a few lines. It tunnels, and responds to other requests itself.
func relay(t *testing.T, login string) (addr string, seen func() []string) {
	t.Helper()
	var mu sync.Mutex
	var lines []string
	addr = loopback.ForTest(t, func(c net.Conn) {
		in := bufio.NewReader(c)
		r, err := nethttp.ReadRequest(in)
		if err != nil {
			return
		}
		mu.Lock()
		lines = append(lines, r.Method+" "+r.RequestURI)
		mu.Unlock()
		if login != "" && r.Header.Get("Proxy-Authorization") != "Basic "+base64.StdEncoding.EncodeToString([]byte(login)) {
			io.WriteString(c, "HTTP/1.1 407 Who\r\nContent-Length: 0\r\n\r\n")
			return
		}
		if r.Method != "CONNECT" {
			fmt.Fprintf(c, "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s", len(r.RequestURI), r.RequestURI)
			return
		}
		far, err := net.Dial("tcp", r.Host)
		if err != nil {
			io.WriteString(c, "HTTP/1.1 502 No\r\n\r\n")
			return
		}
		defer far.Close()
		io.WriteString(c, "HTTP/1.1 200 Go\r\nVia: us\r\n\r\n")
		pipe(c, far, in)
	})
	return addr, func() []string { mu.Lock(); defer mu.Unlock(); return append([]string(nil), lines...) }
}

func pipe(near, far net.Conn, in io.Reader) {
	done := make(chan bool)
	go func() { io.Copy(near, far); near.Close(); close(done) }()
	io.Copy(far, in)
	far.Close()
	<-done
}

// socks is a SOCKS 5 server that resolves one name.
func socks(t *testing.T, name, target string) string {
	t.Helper()
	return loopback.ForTest(t, func(c net.Conn) {
		b := make([]byte, 262)
		io.ReadFull(c, b[:2])
		io.ReadFull(c, b[:b[1]])
		c.Write([]byte{5, 0})
		io.ReadFull(c, b[:5])
		if b[3] != 3 {
			c.Write([]byte{5, 8, 0, 1, 0, 0, 0, 0, 0, 0})
			return
		}
		n := b[4]
		io.ReadFull(c, b[:int(n)+2])
		if string(b[:n]) != name {
			c.Write([]byte{5, 4, 0, 1, 0, 0, 0, 0, 0, 0})
			return
		}
		far, err := net.Dial("tcp", target)
		if err != nil {
			return
		}
		defer far.Close()
		c.Write([]byte{5, 0, 0, 1, 0, 0, 0, 0, 0, 0})
		pipe(c, far, c)
	})
}

func proxied(t *testing.T, table *proxy.Table) *fetch.Client {
	c := fetch.New(http.Schemes(&http.Config{Proxy: table.HTTP})...)
	c.Dialer = table.Dial
	c.TLS = &tls.Config{InsecureSkipVerify: true}
	c.Timeouts.Connect = 2 * time.Second
	t.Cleanup(func() { c.Close() })
	return c
}

func parse(t *testing.T, s string) *proxy.Proxy {
	t.Helper()
	p, err := proxy.Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestHTTPProxy(t *testing.T) {
	far := httptest.NewTLSServer(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) {
		io.WriteString(w, "behind "+r.RequestURI)
	}))
	defer far.Close()
	addr, seen := relay(t, "me:p w")
	c := proxied(t, &proxy.Table{All: parse(t, "me:p%20w@"+addr)})
	if _, body, err := get(t, c, "http://nowhere.invalid/a%2fb?c", nil); err != nil || body != "http://nowhere.invalid/a%2fb?c" {
		t.Errorf("http: got %q, %v, want the absolute URI from the proxy", body, err)
	}
	if _, body, err := get(t, c, far.URL+"/x", nil); err != nil || body != "behind /x" {
		t.Errorf("https: got %q, %v, want %q", body, err, "behind /x")
	}
	host := strings.TrimPrefix(far.URL, "https://")
	if got, want := strings.Join(seen(), "; "), "GET http://nowhere.invalid/a%2fb?c; CONNECT "+host; got != want {
		t.Errorf("got the requests %q, want %q", got, want)
	}
	c = proxied(t, &proxy.Table{All: parse(t, addr)})
	for _, u := range []string{far.URL, "http://nowhere.invalid/"} {
		if _, _, err := get(t, c, u, nil); !errors.Is(err, fetch.ErrAuth) {
			t.Errorf("%s without a password: got %v, want %s", u, err, fetch.ErrAuth)
		}
	}
	c = proxied(t, &proxy.Table{All: parse(t, "me:p%20w@"+addr)})
	if _, _, err := get(t, c, "https://127.0.0.1:1234/", nil); !errors.Is(err, fetch.ErrConnect) {
		t.Errorf("unreachable: got %v, want %s", err, fetch.ErrConnect)
	}
	c = proxied(t, &proxy.Table{All: parse(t, "me:p%20w@"+addr), Bypass: []string{"127.0.0.1"}})
	before := len(seen())
	if _, body, err := get(t, c, far.URL+"/y", nil); err != nil || body != "behind /y" || len(seen()) != before {
		t.Errorf("bypass: got %q, %v, want %q without the proxy", body, err, "behind /y")
	}
}

func TestSOCKS(t *testing.T) {
	far := httptest.NewServer(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) { io.WriteString(w, r.Host) }))
	defer far.Close()
	c := proxied(t, &proxy.Table{All: parse(t, "socks5h://"+socks(t, "only.there.invalid", strings.TrimPrefix(far.URL, "http://")))})
	if _, body, err := get(t, c, "http://only.there.invalid/", nil); err != nil || body != "only.there.invalid" {
		t.Errorf("got %q, %v, want %q", body, err, "only.there.invalid")
	}
	if _, _, err := get(t, c, "http://other.invalid/", nil); !errors.Is(err, fetch.ErrConnect) {
		t.Errorf("other: got %v, want %s", err, fetch.ErrConnect)
	}
}

func TestDirectKeepsTheGuard(t *testing.T) {
	c := proxied(t, &proxy.Table{All: parse(t, "http://127.0.0.1:9"), Bypass: []string{"*"}})
	c.Policy.DenyPrivate = true
	if _, _, err := get(t, c, "http://localhost:8080/", nil); !errors.Is(err, fetch.ErrDenied) {
		t.Errorf("got %v, want %s", err, fetch.ErrDenied)
	}
}

func TestSilentProxy(t *testing.T) {
	t.Parallel()
	addr := loopback.ForTest(t, func(c net.Conn) { io.Copy(io.Discard, c) })
	for _, scheme := range []string{"http://", "socks5://"} {
		c := proxied(t, &proxy.Table{All: parse(t, scheme+addr)})
		c.Timeouts.Connect = 20 * time.Millisecond
		if _, _, err := get(t, c, "https://h.invalid/", nil); !errors.Is(err, fetch.ErrTimeout) {
			t.Errorf("%s: got %v, want %s", scheme, err, fetch.ErrTimeout)
		}
	}
}

// TestAddressPolicyBehindProxies checks that the policy applies to the servers, and not to the proxy, which the user has chosen. The proxy
// resolves the names.
func TestAddressPolicyBehindProxies(t *testing.T) {
	addr, seen := relay(t, "")
	c := proxied(t, &proxy.Table{All: parse(t, "http://"+addr)})
	c.Policy.DenyPrivate = true
	for _, host := range []string{"127.0.0.1", "[::1]", "[::ffff:10.0.0.1]", "169.254.169.254", "localhost", "a.LOCALHOST.", "127.1", "0x7f000001", "2130706433", "0177.0.0.1", "127.0.0.1."} {
		for _, scheme := range []string{"http", "https"} {
			if _, _, err := get(t, c, scheme+"://"+host+"/", nil); !errors.Is(err, fetch.ErrDenied) {
				t.Errorf("%s://%s/: got %v, want %s", scheme, host, err, fetch.ErrDenied)
			}
		}
	}
	for _, scheme := range []string{"http", "https"} {
		_, _, err := get(t, c, scheme+"://public.example/", nil)
		if unchecked, ok := errors.AsType[*policy.UncheckedError](err); !ok || unchecked.Host != "public.example" || !errors.Is(err, fetch.ErrDenied) {
			t.Errorf("%s: got %v, want %s, because the address cannot be checked", scheme, err, fetch.ErrDenied)
		}
	}
	if n := len(seen()); n != 0 {
		t.Errorf("got the requests %q, want none", seen())
	}
	c.Policy.TrustDialer = true
	for _, host := range []string{"192.88.99.1", "public.example", "1.example", "0x.example"} {
		if _, body, err := get(t, c, "http://"+host+"/", nil); err != nil || body != "http://"+host+"/" {
			t.Errorf("%s: got %q, %v, want the absolute URI from the proxy", host, body, err)
		}
	}
}
