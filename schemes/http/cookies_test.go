package http_test

import (
	"bytes"
	"errors"
	nethttp "net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/schemes/http"
	"example.org/deref/schemes/http/jar"
)

// A redirect to the same URI is followed if the request differs by a cookie that was set. Otherwise it is a loop.
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
		{"sets one after the other",
			[]string{back + "Set-Cookie: a=1\r\n\r\n" + keepOpen, back + "Set-Cookie: b=1\r\n\r\n" + keepOpen, ok + "Content-Length: 2\r\n\r\nhi"}, true, "hi", "", 3},
		{"sets the same twice",
			[]string{back + "Set-Cookie: a=1\r\n\r\n" + keepOpen, back + "Set-Cookie: a=1\r\n\r\n" + keepOpen, ok + "\r\nno"}, true, "", fetch.ErrRedirect, 2},
		{"sets nothing", []string{back + "\r\n" + keepOpen, ok + "\r\nno"}, true, "", fetch.ErrRedirect, 1},
		{"sets a cookie for another path", []string{back + "Set-Cookie: a=1; Path=/y\r\n\r\n" + keepOpen, ok + "\r\nno"}, true, "",
			fetch.ErrRedirect, 1},
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

// The user's cookies are sent with those of the jar in one field, also after a challenge. A whole field of the user's replaces both.
func TestOwnCookiesAndTheJar(t *testing.T) {
	cookies := func(request string) (lines []string) {
		for line := range strings.SplitSeq(request, "\r\n") {
			if strings.HasPrefix(line, "Cookie:") {
				lines = append(lines, line)
			}
		}
		return lines
	}
	for _, c := range []struct {
		name string
		jar  string
		set  map[string][]string
		want string
	}{
		{"both", "j=1", map[string][]string{"http.cookie": {"a=2", "b=3"}}, "Cookie: j=1; a=2; b=3"},
		{"an empty jar", "", map[string][]string{"http.cookie": {"a=2", "b=3"}}, "Cookie: a=2; b=3"},
		{"the jar alone", "j=1", nil, "Cookie: j=1"},
		{"the whole field", "j=1", map[string][]string{"http.cookie": {"a=2"}, "http.credential-header": {"Cookie: mine=1"}}, "Cookie: mine=1"},
	} {
		j := jar.New()
		s := script(t, unauthorized+"Basic realm=x\r\n\r\nwhat"+keepOpen, ok+"Content-Length: 0\r\n\r\n"+keepOpen)
		if c.jar != "" {
			name, value, _ := strings.Cut(c.jar, "=")
			j.SetCookies(&url.URL{Scheme: "http", Host: s.Addr(), Path: "/"}, []*nethttp.Cookie{{Name: name, Value: value}})
		}
		cl := fetch.New(http.Schemes(&http.Config{Jar: j})...)
		get(t, cl, "http://"+s.Addr()+"/", &fetch.Options{Set: c.set, Login: fetch.Login{User: "u", Password: "p", Set: true}})
		cl.Close()
		for i := range 2 {
			if got := cookies(s.request(t, i)); !slices.Equal(got, []string{c.want}) {
				t.Errorf("%s: request %d: got %q, want %q", c.name, i, got, c.want)
			}
		}
	}
	_, _, err := get(t, client(t), "http://127.0.0.1:1/", &fetch.Options{Set: map[string][]string{"http.cookie": {"a=1\r\nX: y"}}})
	if !errors.Is(err, fetch.ErrRefusedURL) {
		t.Errorf("a line end in a cookie: got %v, want %s", err, fetch.ErrRefusedURL)
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
			t.Errorf("request %d: got %q, want %q", i, got, want)
		}
	}
	if out := trace.String(); strings.Contains(out[strings.Index(out, "Location"):], "Cookie: a=secret1") {
		t.Errorf("got the trace %q, want it without the cookie", out)
	}
}
