package http_test

import (
	"context"
	"encoding/base64"
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
