package http_test

import (
	"errors"
	"strings"
	"testing"

	"example.org/deref/fetch"
)

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
			if e, ok := errors.AsType[*fetch.Error](err); !ok || e.Kind != fetch.ErrAuth || e.Hint != fetch.HintLogin {
				t.Errorf("http://%sHOST/, auth %q: got %v, want %s with a hint", user, way, err, fetch.ErrAuth)
			}
		}
	}
	s := script(t, unauthorized+"Basic realm=x\r\n\r\nwhat"+keepOpen, ok+"Content-Length: 2\r\n\r\nhi")
	if _, body, err := get(t, client(t), "http://:pw@"+s.Addr()+"/", nil); err != nil || body != "hi" {
		t.Errorf("a password without a user: got %q, %v, want hi", body, err)
	}
}
