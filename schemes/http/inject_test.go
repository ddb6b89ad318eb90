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
	"example.org/deref/uri"
)

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

// A header field that the user sets cannot contain a control character.
func TestPromise3FieldsOfUsers(t *testing.T) {
	for _, line := range []string{"X: a\x01", "X: a\r\nY: b", "X: a\x7f", "X\x00: a", "X y: a"} {
		o := &fetch.Options{Set: map[string][]string{"http.header": {line}}}
		if _, err := client(t).Plan(uri.MustParse("http://h/"), o); !errors.Is(err, fetch.ErrRefusedURL) {
			t.Errorf("%q: got %v, want %s", line, err, fetch.ErrRefusedURL)
		}
	}
}
