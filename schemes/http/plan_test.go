package http_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/schemes/http"
	"example.org/deref/schemes/internal/schemetest"
	"example.org/deref/uri"
)

func TestPlan(t *testing.T) {
	set := func(kv ...string) map[string][]string {
		m := map[string][]string{}
		for i := 0; i < len(kv); i += 2 {
			m[kv[i]] = append(m[kv[i]], kv[i+1])
		}
		return m
	}
	for _, c := range []struct {
		uri  string
		o    fetch.Options
		addr string
		want []string // lines; only the name of secret ones
	}{
		{"http://h", fetch.Options{}, "h:80", []string{"GET / HTTP/1.1", "Host: h"}},
		{"https://H:8443/x", fetch.Options{}, "H:8443", []string{"GET /x HTTP/1.1", "Host: H:8443"}},
		{"http://h:80?q", fetch.Options{}, "h:80", []string{"GET /?q HTTP/1.1", "Host: h"}},
		{"http://[::1%25lo]:81/", fetch.Options{}, "[::1%lo]:81", []string{"GET / HTTP/1.1", "Host: [::1]:81"}}, // RFC 6874 section 1
		{"http://h/a b\"<>\\^`{|}\xe9?\xff é", fetch.Options{}, "h:80",
			[]string{"GET /a%20b%22%3C%3E%5C%5E%60%7B%7C%7D%E9?%FF%20%C3%A9 HTTP/1.1"}},
		{"http://h/%0d%0aX:y%00", fetch.Options{}, "h:80", []string{"GET /%0d%0aX:y%00 HTTP/1.1"}}, // stays escaped: no injection
		{"http://h/a?old", fetch.Options{Search: []string{"two words", "a+b"}}, "h:80", []string{"GET /a?two%20words+a%2Bb HTTP/1.1"}},
		{"http://h/a?q=", fetch.Options{Search: []string{"w"}}, "h:80", []string{"GET /a?q=w HTTP/1.1"}},
		{"http://h/", fetch.Options{Accept: []string{"text/plain", "text/html"}}, "h:80", []string{"Accept: text/plain, text/html;q=0.9"}},
		{"http://h/", fetch.Options{Set: set("http.header", "X-A: 1", "http.header", "x-b;", "http.header", "accept:", "http.user-agent", "me")},
			"h:80",
			[]string{"GET / HTTP/1.1", "Host: h", "User-Agent: me", "X-A: 1", "x-b: "}},
		{"http://h/", fetch.Options{Set: set("http.credential-header", "Authorization: Bearer t", "http.credential-header", "Host: other"),
			Login: fetch.Login{User: "u", Set: true}}, "h:80", []string{"Host: other", "Authorization:"}},
		{"http://h/", fetch.Options{Set: set("http.referer", "http://u:p@r/x y#f")}, "h:80", []string{"Referer: http://r/x%20y"}},
		{"http://h/", fetch.Options{Set: set("http.referer", "https://r/x")}, "h:80", []string{"GET / HTTP/1.1"}},
		{"http://h/", fetch.Options{Set: set("http.version", "1.0")}, "h:80", []string{"GET / HTTP/1.0", "Host: h"}},
		{"http://h/", fetch.Options{Set: set("http.want-digest", "1", "http.compressed", "1")}, "h:80", // and no Accept-Encoding
			[]string{"GET / HTTP/1.1", "Host: h", "User-Agent: deref", "Accept: */*", "Want-Repr-Digest: sha-256=10, sha-512=9", "Want-Digest: sha-256, sha-512;q=0.9"}},
	} {
		p, err := fetch.New(http.Schemes(nil)...).Plan(uri.MustParse(c.uri), &c.o)
		if err != nil {
			t.Errorf("%s: got %v, want a plan", c.uri, err)
			continue
		}
		var got []string
		for _, s := range p.When("") {
			if s.Secret {
				s.Args = nil
			}
			got = append(got, s.Line())
		}
		for _, w := range c.want {
			if !slices.Contains(got, w) {
				t.Errorf("%s: got %q, want the line %q", c.uri, got, w)
			}
		}
		if strings.Contains(strings.Join(got, "\n"), "https://r/") {
			t.Errorf("%s: got %q, want no Referer from within TLS", c.uri, got)
		}
		if p.Addr != c.addr {
			t.Errorf("%s: addr %q, want %q", c.uri, p.Addr, c.addr)
		}
	}
}

func TestPromise3PlanRefuses(t *testing.T) {
	for _, c := range []struct {
		uri, key, value string
		kind            fetch.Kind
	}{
		{"http:x", "", "", fetch.ErrRefusedURL},
		{"http:///x", "", "", fetch.ErrRefusedURL},
		{"http://h:0/", "", "", fetch.ErrRefusedURL},
		{"http://h:25/", "", "", fetch.ErrRefusedPort},
		{"http://-h/", "", "", fetch.ErrRefusedURL},
		{"http://h/", "http.header", "X: a\r\nY: b", fetch.ErrRefusedURL},
		{"http://h/", "http.header", "X y: a", fetch.ErrRefusedURL},
		{"http://h/", "http.header", "X: a\x01", fetch.ErrRefusedURL}, // no control characters
		{"http://h/", "http.header", "X: a\x7f", fetch.ErrRefusedURL},
		{"http://h/", "http.header", "X\x00: a", fetch.ErrRefusedURL},
		{"http://h/", "http.cookie", "a=1\r\nX: y", fetch.ErrRefusedURL},
		{"http://h/", "http.header", "nonsense", fetch.ErrUnsupported},
		{"http://h/", "http.header", "Authorization: Basic x", fetch.ErrUnsupported},
		{"http://h/", "http.header", "Content-Length: 5", fetch.ErrUnsupported},
		{"http://h/", "http.header", "range: bytes=0-9", fetch.ErrUnsupported},
		{"http://h/", "http.credential-header", "Transfer-Encoding: chunked", fetch.ErrUnsupported},
		{"http://h/", "http.user-agent", "a\nb", fetch.ErrRefusedURL},
		{"http://h/", "http.version", "4", fetch.ErrUnsupported},
	} {
		o := &fetch.Options{}
		if c.key != "" {
			o.Set = map[string][]string{c.key: {c.value}}
		}
		_, err := fetch.New(http.Schemes(nil)...).Plan(uri.MustParse(c.uri), o)
		if !errors.Is(err, c.kind) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s with %s %q: %v, want %s", c.uri, c.key, c.value, err, c.kind)
		}
	}
}

// The request has one Host, however often the user sets it (RFC 9112 section 3.2).
func TestOneHost(t *testing.T) {
	for _, version := range []string{"1.0", "1.1", "2"} {
		o := &fetch.Options{Set: map[string][]string{"http.credential-header": {"Host: a", "host: b", "HOST: c"}, "http.version": {version}}}
		p, err := client(t).Plan(uri.MustParse("http://h/"), o)
		if err != nil {
			t.Fatal(err)
		}
		var hosts []string
		for _, step := range p.Steps {
			if strings.EqualFold(step.Verb, "host:") {
				hosts = append(hosts, step.Args...)
			}
		}
		if !slices.Equal(hosts, []string{"a"}) {
			t.Errorf("HTTP/%s: got Host %q, want [a]", version, hosts)
		}
	}
}

// TestCorpus runs the cases of testdata/uri that read http URIs.
func TestCorpus(t *testing.T) {
	if n := schemetest.Rows(t, http.Schemes(nil)...); n < 10 {
		t.Errorf("got %d rows, want at least 10", n)
	}
}
