package http_test

import (
	"bytes"
	"strings"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/schemes/http"
	"example.org/deref/schemes/http/jar"
)

// A referral back to the same URI is followed if the request differs: by a cookie that was set. It is a circle otherwise.
func TestReferralToTheSameURI(t *testing.T) {
	const back = "HTTP/1.1 302 Found\r\nLocation: /x\r\nContent-Length: 0\r\n"
	for _, c := range []struct {
		name     string
		answers  []string
		jar      bool
		want     string
		kind     fetch.Kind
		requests int
	}{
		{"sets a cookie", []string{back + "Set-Cookie: a=1\r\n\r\n" + keepOpen, ok + "Content-Length: 2\r\n\r\nhi"}, true, "hi", "", 2},
		{"sets one after the other", []string{back + "Set-Cookie: a=1\r\n\r\n" + keepOpen, back + "Set-Cookie: b=1\r\n\r\n" + keepOpen, ok + "Content-Length: 2\r\n\r\nhi"}, true, "hi", "", 3},
		{"sets the same twice", []string{back + "Set-Cookie: a=1\r\n\r\n" + keepOpen, back + "Set-Cookie: a=1\r\n\r\n" + keepOpen, ok + "\r\nno"}, true, "", fetch.ErrRedirect, 2},
		{"sets nothing", []string{back + "\r\n" + keepOpen, ok + "\r\nno"}, true, "", fetch.ErrRedirect, 1},
		{"sets a cookie for another path", []string{back + "Set-Cookie: a=1; Path=/y\r\n\r\n" + keepOpen, ok + "\r\nno"}, true, "", fetch.ErrRedirect, 1},
		{"without a jar", []string{back + "Set-Cookie: a=1\r\n\r\n" + keepOpen, ok + "\r\nno"}, false, "", fetch.ErrRedirect, 1},
	} {
		s := script(t, c.answers...)
		cfg := &http.Config{}
		if c.jar {
			cfg.Jar = jar.New()
		}
		cl := fetch.New(http.Schemes(cfg)...)
		_, body, err := get(t, cl, "http://"+s.Addr()+"/x", nil)
		cl.Close()
		if body != c.want || fetch.KindOf(err) != c.kind || len(s.requests) != c.requests {
			t.Errorf("%s: got %q, %v after %d requests, want %q, %q after %d", c.name, body, err, len(s.requests), c.want, c.kind, c.requests)
		}
	}
}

func TestCookies(t *testing.T) {
	s := script(t,
		"HTTP/1.1 302 Found\r\nSet-Cookie: a=secret1; Path=/\r\nLocation: /x\r\nContent-Length: 0\r\n\r\n"+keepOpen,
		ok+"Set-Cookie: b=2\r\nContent-Length: 0\r\n\r\n"+keepOpen,
		"HTTP/1.1 404 No\r\nSet-Cookie: a=; Max-Age=0; Path=/\r\nContent-Length: 0\r\n\r\n"+keepOpen,
		ok+"Content-Length: 0\r\n\r\n"+keepOpen, ok+"Content-Length: 0\r\n\r\n"+keepOpen)
	c := fetch.New(http.Schemes(&http.Config{Jar: jar.New()})...)
	defer c.Close()
	var trace bytes.Buffer
	o := &fetch.Options{Trace: func(e fetch.Event) { trace.Write(e.Data) }}
	get(t, c, "http://"+s.Addr()+"/", o)
	get(t, c, "http://"+s.Addr()+"/y", o)
	get(t, c, "http://"+s.Addr()+"/z", o)
	get(t, c, "http://"+s.Addr()+"/z", &fetch.Options{Set: map[string][]string{"http.credential-header": {"Cookie: mine=1"}}})
	for i, want := range []string{"", "Cookie: a=secret1\r\n", "Cookie: a=secret1; b=2\r\n", "Cookie: b=2\r\n", "Cookie: mine=1\r\n"} {
		got := s.request(t, i)
		if want == "" && strings.Contains(got, "Cookie") || !strings.Contains(got, want) || strings.Count(got, "Cookie") > 1 {
			t.Errorf("request %d: %q, want %q", i, got, want)
		}
	}
	if out := trace.String(); strings.Contains(out[strings.Index(out, "Location"):], "Cookie: a=secret1") {
		t.Error("a cookie stands in the trace")
	}
}
