package http_test

import (
	"bytes"
	"fmt"
	nethttp "net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
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
			if got := s.request(t, i); strings.Count(got, "\r\nCookie:") != 1 || !strings.Contains(got, "\r\n"+c.want+"\r\n") {
				t.Errorf("%s: request %d: got %q, want %q once", c.name, i, got, c.want)
			}
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
			t.Errorf("request %d: got %q, want %q", i, got, want)
		}
	}
	if out := trace.String(); strings.Contains(out[strings.Index(out, "Location"):], "Cookie: a=secret1") {
		t.Errorf("got the trace %q, want it without the cookie", out)
	}
}

// The name and the value of a cookie are returned as the server has sent them: RFC 6265 section 5.2.
func TestCookiesAreReturnedVerbatim(t *testing.T) {
	for line, want := range map[string]string{
		`a="b c"; Path=/`: `a="b c"`, `a={"b":[1,2]}; Secure=x; HttpOnly`: "", `a={"b":[1,2]}; HttpOnly`: `a={"b":[1,2]}`, "a[0]=b": "a[0]=b",
		" a = b c ; Max-Age=60": "a=b c", "a=\xe9": "a=\xe9", "a=b=c": "a=b=c", "a=": "a=", "a=b; Max-Age=0": "",
		"a": "", "=b": "", "a=b\tc": "", "a=b\x01c": "",
	} {
		s := script(t, ok+"Set-Cookie: "+line+"\r\nContent-Length: 0\r\n\r\n"+keepOpen, ok+"Content-Length: 0\r\n\r\n")
		c := fetch.New(http.Schemes(&http.Config{Jar: jar.New()})...)
		get(t, c, "http://"+s.Addr()+"/", nil)
		get(t, c, "http://"+s.Addr()+"/", nil)
		c.Close()
		_, rest, _ := strings.Cut(s.request(t, 1), "\r\nCookie: ")
		if got, _, _ := strings.Cut(rest, "\r\n"); got != want {
			t.Errorf("Set-Cookie: %q: got %q, want %q", line, got, want)
		}
	}
}

// A doorman is a server that requires Digest in /d/ and Basic in /b/, and logs the requests. It accepts any answer to its latest nonce with
// a new count.
type doorman struct {
	mu    sync.Mutex
	log   []string
	nonce int
	seen  map[string]bool
	next  bool // it sends the next nonce with each document
}

func (d *doorman) ServeHTTP(w nethttp.ResponseWriter, r *nethttp.Request) {
	d.mu.Lock()
	defer d.mu.Unlock()
	said := r.Header.Get("Authorization")
	how, _, _ := strings.Cut(said, " ")
	d.log = append(d.log, strings.TrimSpace(r.URL.Path+" "+how))
	param := func(name string) string {
		_, v, _ := strings.Cut(said, name+"=")
		v, _, _ = strings.Cut(v, ",")
		return strings.Trim(v, `"`)
	}
	nonce, use := fmt.Sprint("n", d.nonce), param("nonce")+param("nc")
	switch {
	case strings.HasPrefix(r.URL.Path, "/d/") && (how != "Digest" || param("nonce") != nonce || d.seen[use]):
		w.Header().Set("WWW-Authenticate", fmt.Sprintf(`Digest realm="d", qop="auth", nonce="%s", stale=%v`, nonce, how == "Digest"))
		w.WriteHeader(401)
		return
	case strings.HasPrefix(r.URL.Path, "/b/") && how != "Basic":
		w.Header().Set("WWW-Authenticate", `Basic realm="b"`)
		w.WriteHeader(401)
		return
	}
	d.seen[use] = true
	if d.next {
		d.nonce++
		w.Header().Set("Authentication-Info", fmt.Sprintf(`qop=auth, nextnonce="n%d"`, d.nonce))
	}
	fmt.Fprint(w, "in")
}

// TestLoginIsRememberedPerServer checks that the second request to a server does not wait for a challenge.
func TestLoginIsRememberedPerServer(t *testing.T) {
	for _, c := range []struct {
		name, paths, log string
		next             bool
	}{
		{"digest", "/d/1 /d/2 /d/3", "/d/1|/d/1 Digest|/d/2 Digest|/d/3 Digest", false},
		{"stale nonce", "/d/1 new /d/2 /d/3", "/d/1|/d/1 Digest|/d/2 Digest|/d/2 Digest|/d/3 Digest", false},
		{"nextnonce", "/d/1 /d/2 /d/3", "/d/1|/d/1 Digest|/d/2 Digest|/d/3 Digest", true},
		{"basic", "/b/1 /b/2 /b/c/3", "/b/1|/b/1 Basic|/b/2 Basic|/b/c/3 Basic", false},
		{"basic, only in its directory", "/b/c/1 /b/2 /o", "/b/c/1|/b/c/1 Basic|/b/2|/b/2 Basic|/o", false},
	} {
		d := &doorman{seen: map[string]bool{}, next: c.next}
		s := httptest.NewServer(d)
		cl := client(t)
		for path := range strings.FieldsSeq(c.paths) {
			if path == "new" {
				d.nonce++
				continue
			}
			o := &fetch.Options{Login: fetch.Login{User: "u", Password: "pw", Set: true}}
			if _, body, err := get(t, cl, s.URL+path, o); body != "in" || err != nil {
				t.Errorf("%s: %s: got %q, %v, want %q", c.name, path, body, err, "in")
			}
		}
		if got := strings.Join(d.log, "|"); got != c.log {
			t.Errorf("%s: %s, want %s", c.name, got, c.log)
		}
		s.Close()
	}
}

func TestRememberedChallengeAmongMany(t *testing.T) {
	d := &doorman{seen: map[string]bool{}}
	s := httptest.NewServer(d)
	defer s.Close()
	c := client(t)
	o := &fetch.Options{Login: fetch.Login{User: "u", Password: "pw", Set: true}}
	get(t, c, s.URL+"/d/first", o)
	var wg sync.WaitGroup
	for i := range 32 {
		wg.Go(func() {
			if _, body, err := get(t, c, fmt.Sprintf("%s/d/%d", s.URL, i), o); body != "in" || err != nil {
				t.Errorf("got %q, %v, want %q", body, err, "in")
			}
		})
	}
	wg.Wait()
	if n := len(d.log); n != 2+32 { // no count was used twice
		t.Errorf("got %d requests, want %d", n, 2+32)
	}
}
