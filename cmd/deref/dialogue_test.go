package main

import (
	"bufio"
	"crypto/tls"
	"encoding/base64"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"example.org/deref/fetch/fetchtest/loopback"
)

// tunnel is an HTTP proxy that lets joe pass, and a finger server at the other end.
func tunnel(c net.Conn) {
	in := bufio.NewReader(c)
	r, err := http.ReadRequest(in)
	if err != nil {
		return
	}
	if r.Header.Get("Proxy-Authorization") != "Basic "+base64.StdEncoding.EncodeToString([]byte("joe:sesame")) {
		io.WriteString(c, "HTTP/1.1 407 Who\r\nProxy-Authenticate: Basic realm=\"gate\"\r\nContent-Length: 0\r\n\r\n")
		return
	}
	io.WriteString(c, "HTTP/1.1 200 Go\r\n\r\n")
	in.ReadString('\n')
	io.WriteString(c, "hello\r\n")
}

// socksTunnel is tunnel as a SOCKS 5 proxy (RFC 1928, RFC 1929), which refuses the host no.example.
func socksTunnel(c net.Conn) {
	in := bufio.NewReader(c)
	next := func(n byte) string {
		b := make([]byte, n)
		io.ReadFull(in, b)
		return string(b)
	}
	next(next(2)[1])
	c.Write([]byte{5, 2})
	next(next(2)[1])
	if next(next(1)[0]) != "sesame" {
		c.Write([]byte{1, 1})
		return
	}
	c.Write([]byte{1, 0})
	host := next(next(5)[4])
	next(2)
	if host == "no.example" {
		c.Write([]byte{5, 5, 0, 1, 0, 0, 0, 0, 0, 0})
		return
	}
	c.Write([]byte{5, 0, 0, 1, 0, 0, 0, 0, 0, 0})
	in.ReadString('\n')
	io.WriteString(c, "hello\r\n")
}

// TestVerboseProxies checks that -v shows the conversation with a proxy, without the password.
func TestVerboseProxies(t *testing.T) {
	t.Parallel()
	web, socks := loopback.ForTest(t, tunnel), loopback.ForTest(t, socksTunnel)
	for _, tt := range []struct {
		name, proxy, uri string
		code             int
		want             string
	}{
		{"CONNECT", "http://joe:sesame@" + web, "finger://far.example/ann", 0, `*: (to the proxy ADDR: CONNECT far.example:79 HTTP/1.1, with user and password)
*: (from the proxy ADDR: 200 Go)
`},
		{"CONNECT, wrong password", "http://joe:Wr0ngWord@" + web, "finger://far.example/ann", 6, `*: (to the proxy ADDR: CONNECT far.example:79 HTTP/1.1, with user and password)
*: (from the proxy ADDR: 407 Who)
`},
		{"SOCKS 5", "socks5h://joe:sesame@" + socks, "finger://far.example/ann", 0, `*: (to the proxy ADDR: SOCKS 5 CONNECT far.example:79, with user and password)
*: (from the proxy ADDR: succeeded)
`},
		{"SOCKS 5, refused", "socks5h://joe:sesame@" + socks, "finger://no.example/ann", 5, `*: (to the proxy ADDR: SOCKS 5 CONNECT no.example:79, with user and password)
*: (from the proxy ADDR: connection refused)
`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			document, out, code := invoked(t, input{}, "-v", "-m", "20", "-x", tt.proxy, tt.uri)
			got := strings.Join(regexp.MustCompile(`(?m)^.*(?:to|from) the proxy .*\n`).FindAllString(out, -1), "")
			got = strings.NewReplacer(web, "ADDR", socks, "ADDR").Replace(got)
			if code != tt.code || got != tt.want {
				t.Errorf("got exit %d and\n%s\nwant %d and\n%s\nin\n%s", code, got, tt.code, tt.want, out)
			}
			for _, secret := range []string{"sesame", "Wr0ngWord", "am9lOn"} { // the last is base64
				if strings.Contains(document+out, secret) {
					t.Errorf("got %q in\n%s", secret, out)
				}
			}
		})
	}
}

// TestVersionOfTLS checks that the error says which version of TLS is missing.
func TestVersionOfTLS(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		most uint16
		args []string
		code int
		want string
	}{
		{tls.VersionTLS11, nil, 5, "has no version of TLS from TLS 1.2 on"},
		{tls.VersionTLS12, []string{"--tlsv1.3"}, 5, "has no version of TLS from TLS 1.3 on"},
		{tls.VersionTLS12, nil, 0, ""},
	} {
		s := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
		s.TLS = &tls.Config{MinVersion: tls.VersionTLS10, MaxVersion: tt.most}
		s.Config.ErrorLog = log.New(io.Discard, "", 0) // it would log the failed handshakes
		s.StartTLS()
		_, out, code := invoked(t, input{}, append([]string{"-k", "-s", "-S", "-m", "20", s.URL}, tt.args...)...)
		host := s.Listener.Addr().(*net.TCPAddr).IP.String()
		if code != tt.code || tt.want != "" && !strings.Contains(out, "deref: tls: "+host+" "+tt.want) {
			t.Errorf("%v: got exit %d and %q, want %d and %q", tt.args, code, out, tt.code, tt.want)
		}
		s.Close()
	}
}

// TestHangingPassCommand checks that a program that never prints the password is a timeout, as a server that hangs is.
func TestHangingPassCommand(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("sleep"); err != nil {
		t.Skip(err)
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("WWW-Authenticate", `Basic realm="x"`)
		w.WriteHeader(401)
	}))
	defer s.Close()
	file := write(t, filepath.Join(t.TempDir(), "config.toml"), "[host.\""+s.URL+"\"]\nuser = \"ann\"\npass-command = \"sleep 100000\"\n")
	_, out, code := invoked(t, input{}, "--config", file, "--set", "http.auth=basic", "-m", "0.3", s.URL)
	if code != 12 || !strings.Contains(out, "deref: timeout: ") {
		t.Errorf("got exit %d and %q, want 12 and %q", code, out, "deref: timeout: ")
	}
}
