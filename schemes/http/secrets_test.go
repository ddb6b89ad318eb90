package http_test

import (
	"fmt"
	"strings"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/schemes/http"
	"example.org/deref/schemes/http/jar"
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
