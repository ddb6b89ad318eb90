package http_test

import (
	"bufio"
	"context"
	"encoding/base64"
	"errors"
	"io"
	"net"
	nethttp "net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/hint"
	"example.org/deref/fetch/proxy"
	"example.org/deref/schemes/http"
)

// The body of a challenge is part of the reply to the request: it must not drip forever (promise 5).
func TestChallengeThatDrips(t *testing.T) { synctest.Test(t, challengeThatDrips) }

func challengeThatDrips(t *testing.T) {
	var served sync.WaitGroup
	defer served.Wait()
	c := fetch.New(http.Schemes(nil)...)
	defer c.Close()
	c.Dialer = func(context.Context, string, string) (net.Conn, error) {
		ours, theirs := net.Pipe()
		served.Go(func() {
			defer theirs.Close()
			if _, err := nethttp.ReadRequest(bufio.NewReader(theirs)); err != nil {
				return
			}
			_, err := io.WriteString(theirs, "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic realm=\"x\"\r\nContent-Length: 60000\r\n\r\n")
			for err == nil {
				time.Sleep(10 * time.Millisecond)
				_, err = io.WriteString(theirs, "x")
			}
		})
		return ours, nil
	}
	c.Timeouts = fetch.Timeouts{Idle: 300 * time.Millisecond, Total: 10 * time.Second}
	start := time.Now()
	_, _, err := get(t, c, "http://h/", &fetch.Options{Login: fetch.Login{User: "u", Password: "pw", Set: true}})
	if fetch.KindOf(err) != fetch.ErrTimeout || errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v after %s, want %s of the reply", err, time.Since(start), fetch.ErrTimeout)
	}
}

const digestOf = unauthorized + `Digest realm="r", nonce=`

// The Digest covers the target that the server gets, not the absolute URI sent to the proxy.
func TestDigestThroughAProxySignsThePath(t *testing.T) {
	s := script(t, digestOf+"\"n\"\r\n\r\nwhat"+keepOpen, ok+"Content-Length: 2\r\n\r\nhi"+keepOpen)
	c := proxied(t, &proxy.Table{All: parse(t, "http://"+s.Addr())})
	_, body, err := get(t, c, "http://nowhere.invalid/a%2fb?c=://d", &fetch.Options{Login: fetch.Login{User: "u", Password: "p", Set: true}})
	if err != nil || body != "hi" {
		t.Fatalf("got %q, %v, want hi", body, err)
	}
	got := s.request(t, 1)
	if !strings.HasPrefix(got, "GET http://nowhere.invalid/a%2fb?c=://d HTTP/1.1\r\n") || !strings.Contains(got, `uri="/a%2fb?c=://d"`) {
		t.Errorf("got %q, want the absolute URI in the request line and uri=\"/a%%2fb?c=://d\"", got)
	}
}

// stale=true rejects the nonce, not the password, so that the next nonce gets one more answer (RFC 7616 section 3.3).
func TestStaleNonce(t *testing.T) {
	const in = ok + "Content-Length: 2\r\n\r\nhi" + keepOpen
	for _, c := range []struct {
		name     string
		answers  []string
		requests int
		kind     fetch.Kind
	}{
		{"stale once", []string{digestOf + "\"1\"\r\n\r\nwhat" + keepOpen, digestOf + "\"2\", stale=TRUE\r\n\r\nwhat" + keepOpen, in}, 3, ""},
		{"stale again",
			[]string{digestOf + "\"1\"\r\n\r\nwhat" + keepOpen, digestOf + "\"2\", stale=true\r\n\r\nwhat" + keepOpen, digestOf + "\"3\", stale=true\r\n\r\nwhat" + keepOpen, in}, 3, fetch.ErrAuth},
		{"rejected", []string{digestOf + "\"1\"\r\n\r\nwhat" + keepOpen, digestOf + "\"2\", stale=false\r\n\r\nwhat" + keepOpen, in}, 2,
			fetch.ErrAuth},
		{"rejected without stale", []string{digestOf + "\"1\"\r\n\r\nwhat" + keepOpen, digestOf + "\"2\"\r\n\r\nwhat" + keepOpen, in}, 2,
			fetch.ErrAuth},
	} {
		s := script(t, c.answers...)
		_, _, err := get(t, client(t), "http://"+s.Addr()+"/", &fetch.Options{Login: fetch.Login{User: "u", Password: "p", Set: true}})
		if got := len(s.requests); fetch.KindOf(err) != c.kind || got != c.requests {
			t.Errorf("%s: got %d requests, %v, want %d, %q", c.name, got, err, c.requests, c.kind)
		}
		if c.kind == "" && !strings.Contains(s.request(t, 2), `nonce="2"`) {
			t.Errorf("%s: got %q, want the new nonce", c.name, s.request(t, 2))
		}
	}
}

// An empty user in the URI does not identify anybody, so that no credentials are sent: neither at once, nor after a challenge, nor after a
// redirect.
func TestEmptyLoginIsNotSent(t *testing.T) {
	for _, user := range []string{"@", ":@"} {
		for _, way := range []string{"", "basic", "digest"} {
			s := script(t, "HTTP/1.1 302 Found\r\nLocation: /x\r\nContent-Length: 0\r\n\r\n"+keepOpen,
				unauthorized+`Basic realm="x", Digest realm="x", nonce="n"`+"\r\n\r\nwhat"+keepOpen)
			o := &fetch.Options{Set: map[string][]string{}}
			if way != "" {
				o.Set["http.auth"] = []string{way}
			}
			_, _, err := get(t, client(t), "http://"+user+s.Addr()+"/", o)
			if all := strings.Join(s.requests, ""); len(s.requests) != 2 || strings.Contains(all, "Authorization") {
				t.Errorf("http://%sHOST/, auth %q: got requests %q, want 2 without Authorization", user, way, s.requests)
			}
			if e, ok := errors.AsType[*fetch.Error](err); !ok || e.Kind != fetch.ErrAuth || e.Hint != hint.Login {
				t.Errorf("http://%sHOST/, auth %q: got %v, want %s with a hint", user, way, err, fetch.ErrAuth)
			}
		}
	}
	s := script(t, unauthorized+"Basic realm=x\r\n\r\nwhat"+keepOpen, ok+"Content-Length: 2\r\n\r\nhi")
	if _, body, err := get(t, client(t), "http://:pw@"+s.Addr()+"/", nil); err != nil || body != "hi" {
		t.Errorf("a password without a user: got %q, %v, want hi", body, err)
	}
}

// An empty password that the user has given is sent as any other is: with -u u: as with http://u:@HOST/. The name alone waits for a challenge, after
// which the user is asked for the password.
func TestEmptyPasswordIsOne(t *testing.T) {
	basic := "Authorization: Basic " + base64.StdEncoding.EncodeToString([]byte("u:"))
	for _, c := range []struct {
		user  string
		login fetch.Login
		asked int
	}{
		{"u:@", fetch.Login{}, 0},
		{"", fetch.Login{User: "u", Set: true, Empty: true}, 0},
		{"u@", fetch.Login{User: "u", Set: true, Empty: true}, 0},
		{"", fetch.Login{User: "u", Set: true}, 1},
	} {
		s := script(t, ok+"Content-Length: 2\r\n\r\nhi"+keepOpen)
		if c.asked > 0 {
			s = script(t, unauthorized+"Basic realm=x\r\n\r\nwhat"+keepOpen, ok+"Content-Length: 2\r\n\r\nhi"+keepOpen)
		}
		cl, asked := client(t), 0
		cl.Logins = func(context.Context, fetch.LoginRequest) (fetch.Login, error) {
			asked++
			return fetch.Login{User: "u", Set: true}, nil
		}
		o := &fetch.Options{Login: c.login, Set: map[string][]string{"http.auth": {"basic"}}}
		if _, body, err := get(t, cl, "http://"+c.user+s.Addr()+"/", o); body != "hi" || err != nil {
			t.Errorf("%q and %+v: got %q, %v, want hi", c.user, c.login, body, err)
		}
		if !strings.Contains(s.requests[len(s.requests)-1], basic) || len(s.requests) != 1+c.asked || asked != c.asked {
			t.Errorf("%q and %+v: got requests %q, asked %d times; want %q at once: %t", c.user, c.login, s.requests, asked, basic, c.asked == 0)
		}
	}
}
