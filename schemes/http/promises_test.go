package http_test

import (
	"errors"
	"fmt"
	nethttp "net/http"
	"net/url"
	"strings"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/schemes/http"
	"example.org/deref/schemes/http/jar"
	"example.org/deref/uri"
)

// If a server repeats credentials of a request, whole or in part, they are hidden in the trace and in the fields of the document. Parts
// that are not secret stay.
func TestPromise7PartsOfCredentials(t *testing.T) {
	for _, tt := range []struct{ field, said, want string }{
		{"Authorization: Bearer T0ken.x/y", "T0ken.x/y", "***"},
		{"Authorization: Basic YW5uOk9wZW4=", "ann:Open YW5uOk9wZW4= Open", "*** *** ***"},
		{`Authorization: Digest username="ann", realm="The realm", uri="/secret", response="0123456789abcdef"`,
			`ann The realm /secret 0123456789abcdef`, "ann The realm /secret ***"},
		{"Proxy-Authorization: Basic YW5uOk9wZW4=", "Open", "***"},
		{"Cookie: lang=en; sid=1234567; b=\"quoted!\"", "lang=en en 1234567 quoted! sid", "lang=en en *** *** sid"},
	} {
		s := script(t, ok+"X-Said: "+tt.said+"\r\nContent-Length: 0\r\n\r\n")
		c := fetch.New(http.Schemes(nil)...)
		var text strings.Builder
		d, _, err := get(t, c, "http://"+s.Addr()+"/secret", &fetch.Options{Set: map[string][]string{"http.credential-header": {tt.field}},
			Trace: func(e fetch.Event) { fmt.Fprintf(&text, "%s %+v %s\n", e.Data, e.Step, e.Note) }})
		if err != nil {
			t.Fatal(err)
		}
		if got := d.Header.Get("X-Said"); got != tt.want || !strings.Contains(text.String(), "X-Said: "+tt.want+"\r\n") {
			t.Errorf("%s: got %q, want %q\n%s", tt.field, got, tt.want, text.String())
		}
		c.Close()
	}
}

// Cookies that a jar stores are credentials from then on. Others are not hidden.
func TestPromise7CookiesOfServers(t *testing.T) {
	for _, kept := range []bool{true, false} {
		s := script(t, ok+"Set-Cookie: sid=1234567; Path=/\r\nX-Said: 1234567\r\nContent-Length: 0\r\n\r\n")
		cfg := &http.Config{}
		if kept {
			cfg.Jar = jar.New()
		}
		c := fetch.New(http.Schemes(cfg)...)
		var text strings.Builder
		d, _, err := get(t, c, "http://"+s.Addr()+"/", &fetch.Options{Trace: func(e fetch.Event) { fmt.Fprintf(&text, "%s\n", e.Data) }})
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(text.String(), "sid=1234567") == kept || !strings.Contains(text.String(), "Path=/") {
			t.Errorf("with a jar: %v: got the trace\n%s\nwant the cookie: %v", kept, text.String(), !kept)
		}
		if got := d.Header.Get("Set-Cookie") + d.Header.Get("X-Said"); strings.Contains(got, "1234567") == kept {
			t.Errorf("with a jar: %v: got %s, want the cookie: %v", kept, got, !kept)
		}
		c.Close()
	}
}

// Control characters in a login are refused while planning: in the answer to a Digest challenge they would be header fields.
func TestPromise3LoginsOfHTTP(t *testing.T) {
	for _, end := range []string{"\r\n", "\n", "\r", "\x00", "\x7f", "\t"} {
		for _, o := range []*fetch.Options{
			{Login: fetch.Login{User: "a" + end + "X-Injected: yes" + end + "X: ", Password: "b", Set: true}},
			{Login: fetch.Login{User: "a", Password: "b" + end + "X-Injected: yes", Set: true}},
		} {
			s := script(t, unauthorized+`Digest realm="r", nonce="1"`+"\r\n\r\nwhat"+keepOpen, ok+"Content-Length: 2\r\n\r\nhi"+keepOpen)
			_, err := client(t).Get(t.Context(), uri.MustParse("http://"+s.Addr()+"/"), o)
			if !errors.Is(err, fetch.ErrRefusedURL) || s.Peers() != 0 {
				t.Errorf("%q: got %v after %d connections, want %s before the first", end, err, s.Peers(), fetch.ErrRefusedURL)
			}
			if strings.Contains(fmt.Sprint(err), "Injected") {
				t.Errorf("%q: got %v, want an error that does not repeat the login", end, err)
			}
		}
	}
}

// Other special characters of a user name are quoted (RFC 9110 section 5.6.4).
func TestDigestQuotesTheUser(t *testing.T) {
	s := script(t, unauthorized+`Digest realm="r", nonce="1"`+"\r\n\r\nwhat"+keepOpen, ok+"Content-Length: 2\r\n\r\nhi"+keepOpen)
	get(t, client(t), "http://"+s.Addr()+"/", &fetch.Options{Login: fetch.Login{User: `a", uri="/\x`, Password: "b", Set: true}})
	if got, want := s.request(t, 1), `username="a\", uri=\"/\\x", realm`; !strings.Contains(got, want) {
		t.Errorf("got request %q, want in it %q", got, want)
	}
}

// A cookie of a jar's file is not sent if it contains a control character, or would be two cookies.
func TestPromise3CookiesOfFiles(t *testing.T) {
	for _, bad := range []string{"a\x01b", "a\x7fb", "a\rb", "a;b=c", "a\tb"} {
		s := script(t, ok+"Content-Length: 2\r\n\r\nhi"+keepOpen)
		c := fetch.New(http.Schemes(&http.Config{Jar: fileJar{{Name: "good", Value: "1"}, {Name: "bad", Value: bad}}})...)
		get(t, c, "http://"+s.Addr()+"/", nil)
		c.Close()
		if got, want := s.request(t, 0), "\r\nCookie: good=1\r\n\r\n"; !strings.HasSuffix(got, want) {
			t.Errorf("%q: got %q, want it to end with %q", bad, got, want)
		}
	}
}

// A fileJar returns its cookies.
type fileJar []*nethttp.Cookie

func (j fileJar) Cookies(*url.URL) []*nethttp.Cookie     { return j }
func (j fileJar) SetCookies(*url.URL, []*nethttp.Cookie) {}

// Values of a challenge or a stored response go into the next request. A control character in them is a protocol error.
func TestPromise3ChallengesOfServers(t *testing.T) {
	for _, c := range []string{"\x01", "\x7f", "\x0b"} {
		s := script(t, unauthorized+`Digest realm="r`+c+`", nonce="1"`+"\r\n\r\nwhat"+keepOpen, ok+"Content-Length: 2\r\n\r\nhi"+keepOpen)
		_, err := client(t).Get(t.Context(), uri.MustParse("http://u:pw@"+s.Addr()+"/"), nil)
		if !errors.Is(err, fetch.ErrProtocol) || len(s.requests) != 1 {
			t.Errorf("%q: got %v after %d requests, want %s after one", c, err, len(s.requests), fetch.ErrProtocol)
		}
	}
}
