package http_test

import (
	"strings"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/fetch/proxy"
)

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
