package warc_test

import (
	"bufio"
	"io"
	"net"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fetchtest/loopback"
	"example.org/deref/fetch/proxy"
	"example.org/deref/fetch/warc"
	"example.org/deref/schemes/gopher"
	"example.org/deref/schemes/http"
	"example.org/deref/uri"
)

// A record has the address of the server and never that of a proxy: the one in the URI, or the one that was looked up here. If a proxy looks
// the name up, or sends the request itself, there is none.
func TestAddressThroughProxies(t *testing.T) {
	t.Parallel()
	middle := loopback.ForTest(t, anyProxy)
	for _, tt := range []struct{ proxy, uri, bypass, want string }{
		{"socks5", "gopher://h.example/0/a", "", ""},
		{"socks5", "gopher://192.0.2.7/0/a", "", "192.0.2.7"},
		{"socks5", "gopher://[2001:db8::7]/0/a", "", "2001:db8::7"},
		{"socks5", "http://h.example/a", "", ""},
		{"socks5", "http://192.0.2.7/a", "", "192.0.2.7"},
		{"socks5", "gopher://localhost:" + port(middle) + "/0/a", "localhost", "127.0.0.1"},
		{"http", "gopher://h.example/0/a", "", ""},
		{"http", "gopher://192.0.2.7/0/a", "", "192.0.2.7"},
		{"http", "http://h.example/a", "", ""},
		{"http", "http://192.0.2.7/a", "", ""}, // the connection to the proxy serves other hosts, too
		{"http", "http://localhost:" + port(middle) + "/a", "localhost", "127.0.0.1"},
	} {
		p, err := proxy.Parse(tt.proxy + "://" + middle)
		if err != nil {
			t.Fatal(err)
		}
		table := &proxy.Table{All: p, Bypass: proxy.ParseBypass(tt.bypass)}
		name := filepath.Join(t.TempDir(), "a.warc")
		w, err := warc.Create(name, nil)
		if err != nil {
			t.Fatal(err)
		}
		c := fetch.New(slices.Concat(gopher.Schemes(), http.Schemes(&http.Config{Proxy: table.HTTP}))...)
		c.Dialer, c.Recorder = table.Dial, warc.NewRecorder(w)
		d, err := c.Get(t.Context(), uri.MustParse(tt.uri), nil)
		if err == nil {
			_, err = io.Copy(io.Discard, d.Body)
			d.Body.Close()
		}
		c.Close()
		if cerr := w.Close(); err != nil || cerr != nil {
			t.Errorf("%s by %s: %v, %v", tt.uri, tt.proxy, err, cerr)
			continue
		}
		all := records(t, name)[1:]
		for _, r := range all {
			if got := r.Fields.Get("WARC-IP-Address"); got != tt.want {
				t.Errorf("%s by %s, bypassed for %q: got WARC-IP-Address %q in the %s, want %q", tt.uri, tt.proxy, tt.bypass, got, r.Type(), tt.want)
			}
		}
		if len(all) < 2 {
			t.Errorf("%s by %s: got %s, want a document and its conversation", tt.uri, tt.proxy, types(all))
		}
	}
}

func port(addr string) string { return addr[strings.LastIndexByte(addr, ':')+1:] }

// anyProxy is a SOCKS 5 proxy (RFC 1928), an HTTP proxy, and the server that each of them reaches.
func anyProxy(c net.Conn) {
	in := bufio.NewReader(c)
	first, err := in.Peek(2)
	if err != nil {
		return
	}
	if first[0] == 5 {
		in.Discard(2 + int(first[1])) // the methods
		c.Write([]byte{5, 0})
		head, err := in.Peek(5)
		if err != nil {
			return
		}
		in.Discard(map[byte]int{1: 4 + 4 + 2, 3: 4 + 1 + int(head[4]) + 2, 4: 4 + 16 + 2}[head[3]])
		c.Write([]byte{5, 0, 0, 1, 198, 51, 100, 1, 0, 70}) // the proxy's own end
	}
	line, _ := in.ReadString('\n')
	if strings.HasPrefix(line, "CONNECT ") {
		skipHead(in)
		io.WriteString(c, "HTTP/1.1 200 Connected\r\n\r\n")
		line, _ = in.ReadString('\n')
	}
	if strings.HasPrefix(line, "GET ") {
		skipHead(in)
		io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 6\r\nConnection: close\r\n\r\n")
	}
	io.WriteString(c, "hello\n")
}

// skipHead reads up to the first empty line.
func skipHead(in *bufio.Reader) {
	for {
		if line, err := in.ReadString('\n'); err != nil || line == "\r\n" {
			return
		}
	}
}
