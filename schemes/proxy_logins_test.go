package schemes_test

import (
	"bufio"
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"net"
	nethttp "net/http"
	"strings"
	"sync/atomic"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fetchtest/loopback"
	"example.org/deref/fetch/proxy"
	"example.org/deref/schemes"
	"example.org/deref/schemes/http"
	"example.org/deref/uri"
)

// gate is an HTTP proxy that accepts the user joe, and answers for every server.
func gate(t *testing.T) (addr string, requests *atomic.Int32) {
	t.Helper()
	requests = new(atomic.Int32)
	return loopback.ForTest(t, func(c net.Conn) {
		in := bufio.NewReader(c)
		r, err := nethttp.ReadRequest(in)
		if err != nil {
			return
		}
		requests.Add(1)
		switch {
		case r.Header.Get("Proxy-Authorization") != "Basic "+base64.StdEncoding.EncodeToString([]byte("joe:sesame")):
			io.WriteString(c, "HTTP/1.1 407 Who\r\nContent-Length: 2\r\nProxy-Authenticate: Digest realm=\"no\", Basic realm=\"the \\\"gate\\\"\"\r\n\r\nno")
		case r.Method == "CONNECT":
			io.WriteString(c, "HTTP/1.1 200 Go\r\n\r\n")
			in.ReadString('\n')
			io.WriteString(c, "hello\r\n.\r\n")
		default:
			io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello")
		}
	}), requests
}

// socksGate is a SOCKS 5 proxy like gate (RFC 1928, RFC 1929).
func socksGate(t *testing.T) (addr string) {
	t.Helper()
	return loopback.ForTest(t, func(c net.Conn) {
		in := bufio.NewReader(c)
		next := func(n byte) string {
			b := make([]byte, n)
			io.ReadFull(in, b)
			return string(b)
		}
		if methods := next(next(2)[1]); !strings.Contains(methods, "\x02") {
			c.Write([]byte{5, 0xff})
			return
		}
		c.Write([]byte{5, 2})
		user := next(next(2)[1])
		if password := next(next(1)[0]); user != "joe" || password != "sesame" {
			c.Write([]byte{1, 1})
			return
		}
		c.Write([]byte{1, 0})
		next(next(5)[4] + 2)
		c.Write([]byte{5, 0, 0, 1, 0, 0, 0, 0, 0, 0})
		in.ReadString('\n')
		io.WriteString(c, "hello\r\n.\r\n")
	})
}

// through is a client whose connections all pass the proxy.
func through(t *testing.T, url string) *fetch.Client {
	t.Helper()
	p, err := proxy.Parse(url)
	if err != nil {
		t.Fatal(err)
	}
	table := &proxy.Table{All: p}
	c := fetch.New(schemes.All(&schemes.Config{HTTP: &http.Config{Proxy: table.HTTP}})...)
	c.Dialer, c.Policy.TrustDialer = table.Dial, true
	return c
}

// A proxy asks for the user like a server, and the answer is used for the proxy alone.
func TestPromise7ProxiesAskForLogins(t *testing.T) {
	web, _ := gate(t)
	for _, tt := range []struct{ proxy, uri, realm, user string }{
		{"http://" + web, "http://h.example/a", `the "gate"`, ""},
		{"http://joe@" + web, "http://h.example/a", `the "gate"`, "joe"},
		{"http://" + web, "gopher://h.example/0a", `the "gate"`, ""},
		{"http://joe@" + web, "gopher://h.example/0a", `the "gate"`, "joe"},
		{"socks5://" + socksGate(t), "gopher://h.example/0a", "", ""},
	} {
		c := through(t, tt.proxy)
		asked := asksTwice(t, c, tt.uri, "joe", "sesame")
		if len(asked) != 2 {
			t.Errorf("%s by %s: got the questions %+v, want 2", tt.uri, tt.proxy, asked)
			continue
		}
		p := uri.MustParse(tt.proxy)
		for i, r := range asked {
			if r.Attempt != i+1 || r.Scheme != p.Scheme() || r.Host != "127.0.0.1" || r.Port != p.PortNumber(0) || !r.Asked || !r.Proxy ||
				r.Realm != tt.realm || r.User != tt.user {
				t.Errorf("%s by %s: got the question %+v, want attempt %d for the user %q of the proxy, realm %s", tt.uri, tt.proxy, r, i+1, tt.user, tt.realm)
			}
		}
	}
}

// Without an answer, and with a password in the URI of the proxy, a refusal is final. No password is in the trace.
func TestPromise7RefusalOfAProxyIsFinal(t *testing.T) {
	for _, u := range []string{"http://h.example/a", "gopher://h.example/0a"} {
		for login, want := range map[string]struct{ requests, questions int32 }{"": {2, 2}, "joe:wrong@": {1, 0}, "joe:sesame@": {1, 0}} {
			addr, requests := gate(t)
			c := through(t, "http://"+login+addr)
			var questions atomic.Int32
			c.Logins = func(_ context.Context, r fetch.LoginRequest) (fetch.Login, error) {
				questions.Add(1)
				return fetch.Login{User: "joe", Password: "Guess4It", Set: r.Attempt == 1}, nil
			}
			var trace strings.Builder
			d, err := c.Get(t.Context(), uri.MustParse(u), &fetch.Options{Trace: func(e fetch.Event) { fmt.Fprintf(&trace, "%s %+v %s\n", e.Data, e.Step, e.Note) }})
			if err == nil {
				d.Body.Close()
			}
			c.Close()
			if right := login == "joe:sesame@"; (err == nil) != right || !right && fetch.KindOf(err) != fetch.ErrAuth || requests.Load() != want.requests ||
				questions.Load() != want.questions {
				t.Errorf("%s by %q: got %v after %d requests and %d questions, want %+v", u, login, err, requests.Load(), questions.Load(), want)
			}
			for _, secret := range []string{"Guess4It", base64.StdEncoding.EncodeToString([]byte("joe:Guess4It")), "sesame"} {
				if strings.Contains(trace.String(), secret) {
					t.Errorf("%s by %q: the trace contains %q:\n%s", u, login, secret, &trace)
				}
			}
		}
	}
}
