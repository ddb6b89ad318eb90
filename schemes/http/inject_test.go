package http_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// Control characters of a login are refused before anybody is contacted: in the answer to a Digest challenge they would be header fields.
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
				t.Errorf("%q: the error repeats the login: %v", end, err)
			}
		}
	}
}

// What a user name may hold is quoted (RFC 9110 section 5.6.4).
func TestDigestQuotesTheUser(t *testing.T) {
	s := script(t, unauthorized+`Digest realm="r", nonce="1"`+"\r\n\r\nwhat"+keepOpen, ok+"Content-Length: 2\r\n\r\nhi"+keepOpen)
	get(t, client(t), "http://"+s.Addr()+"/", &fetch.Options{Login: fetch.Login{User: `a", uri="/\x`, Password: "b", Set: true}})
	if got, want := s.request(t, 1), `username="a\", uri=\"/\\x", realm`; !strings.Contains(got, want) {
		t.Errorf("got request %q, want in it %q", got, want)
	}
}
