package http_test

import (
	"context"
	"fmt"
	nethttp "net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"example.org/deref/fetch"
)

// TestRefusals: with Options.Refusals, the page of a refusal is a document with the error.
func TestRefusals(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) {
		switch r.URL.Path {
		case "/moved":
			nethttp.Redirect(w, r, "/gone", nethttp.StatusFound)
		case "/login":
			if user, _, _ := r.BasicAuth(); user == "ann" {
				fmt.Fprint(w, "welcome")
				return
			}
			w.Header().Set("WWW-Authenticate", `Basic realm="r"`)
			nethttp.Error(w, "log in", nethttp.StatusUnauthorized)
		case "/busy":
			nethttp.Error(w, "later", nethttp.StatusServiceUnavailable)
		default:
			nethttp.Error(w, "no page", nethttp.StatusNotFound)
		}
	}))
	defer s.Close()
	ann := fetch.Login{User: "ann", Password: "x", Set: true}
	for _, x := range []struct {
		path  string
		o     fetch.Options
		knows fetch.Login // the answer of Logins
		body  string
		want  fetch.Kind // of Refusal
		error fetch.Kind // of Get
	}{
		{"/gone", fetch.Options{}, fetch.Login{}, "", "", fetch.ErrNotFound},
		{"/gone", fetch.Options{Refusals: true}, fetch.Login{}, "no page\n", fetch.ErrNotFound, ""},
		{"/moved", fetch.Options{Refusals: true}, fetch.Login{}, "no page\n", fetch.ErrNotFound, ""},
		{"/busy", fetch.Options{Refusals: true}, fetch.Login{}, "later\n", fetch.ErrUnavailable, ""},
		{"/login", fetch.Options{Refusals: true}, fetch.Login{}, "log in\n", fetch.ErrAuth, ""},
		{"/login", fetch.Options{Refusals: true, Login: ann}, fetch.Login{}, "welcome", "", ""},
		{"/login", fetch.Options{Refusals: true}, ann, "welcome", "", ""}, // Logins is called as if the refusal was an error
		{"/gone", fetch.Options{Refusals: true, Range: fetch.Range{From: 1}}, fetch.Login{}, "", "", fetch.ErrNotFound},
	} {
		c := client(t)
		c.Logins = func(context.Context, fetch.LoginRequest) (fetch.Login, error) { return x.knows, nil }
		d, body, err := get(t, c, s.URL+x.path, &x.o)
		got := fetch.Kind("")
		if d != nil && d.Refusal != nil {
			got = d.Refusal.Kind
		}
		if body != x.body || got != x.want || fetch.KindOf(err) != x.error {
			t.Errorf("%s: got %q, %q, %v, want %q, %q, error %q", x.path, body, got, err, x.body, x.want, x.error)
		}
	}
}

// TestTimes: the steps of a request are finished one after the other, and a connection that is already open takes no time.
func TestTimes(t *testing.T) {
	t.Parallel()
	s := httptest.NewTLSServer(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) {
		if r.URL.Path == "/moved" {
			nethttp.Redirect(w, r, "/", nethttp.StatusFound)
			return
		}
		fmt.Fprint(w, "x")
	}))
	defer s.Close()
	c := client(t)
	c.TLS = s.Client().Transport.(*nethttp.Transport).TLSClientConfig
	first, _, err := get(t, c, s.URL+"/", nil)
	if err != nil {
		t.Fatal(err)
	}
	if x := first.Times; x.Redirect != 0 || x.Lookup <= 0 || x.Connect < x.Lookup || x.TLS <= x.Connect || x.Reply <= x.TLS {
		t.Errorf("got %+v, want increasing times without a redirect", x)
	}
	if "https://"+first.Remote.String() != s.URL || !first.Local.Addr().IsLoopback() {
		t.Errorf("got %s and %s, want the ends of the connection to %s", first.Local, first.Remote, s.URL)
	}
	again, _, err := get(t, c, s.URL+"/moved", nil)
	if err != nil {
		t.Fatal(err)
	}
	if x := again.Times; x.Connect != 0 || x.TLS != 0 || x.Redirect <= 0 || x.Reply < x.Redirect || again.Remote.IsValid() {
		t.Errorf("got %+v, %s, want only a redirect and a reply on the open connection", x, again.Remote)
	}
}

func TestReferrals(t *testing.T) {
	for _, c := range []struct{ name, answer, want string }{
		{"relative", "HTTP/1.1 302 Found\r\nLocation: ../c d?e#f\r\n\r\n", "/c%20d?e#f"},
		{"twice the same", "HTTP/1.1 302 Found\r\nLocation: /x\r\nLocation: /x\r\n\r\n", "/x"},
		{"empty and another", "HTTP/1.1 302 Found\r\nLocation: \r\nLocation: /x\r\n\r\n", "/x"},
		{"unknown 3xx", "HTTP/1.1 399 Odd\r\nLocation: /x\r\n\r\n", "/x"},
		{"preferred choice", "HTTP/1.1 300 Multiple Choices\r\nLocation: /best\r\n\r\n", "/best"},
		{"choices without a list", "HTTP/1.1 300 Multiple Choices\r\n\r\n", ""},
		{"refresh", ok + "Refresh: 5; URL='/there'\r\n\r\n", "/there"},
		{"refresh without url=", ok + "Refresh: 0;there\r\n\r\n", "/a/there"},
		{"refresh after a comma", ok + "Refresh: 0, url=there\r\n\r\n", "/a/there"},
		{"refresh after a blank", ok + "Refresh: 0 url=there\r\n\r\n", "/a/there"},
		{"refresh of no number", ok + "Refresh: x; url=there\r\n\r\n", ""},
		{"slow refresh", ok + "Refresh: 300; url=/next\r\n\r\n", ""},
		{"refresh of itself", ok + "Refresh: 1; url=b\r\n\r\n", ""},
		{"reload", ok + "Refresh: 1\r\n\r\n", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := script(t, c.answer)
			cl := client(t)
			cl.Policy.NoFollow = true
			d, _, err := get(t, cl, "http://"+s.Addr()+"/a/b", nil)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, r := range d.Referrals {
				got = append(got, strings.TrimPrefix(r.URI.String(), "http://"+s.Addr()))
			}
			if g := strings.Join(got, " "); g != c.want {
				t.Errorf("%q, want %q", g, c.want)
			}
		})
	}
}

func TestBaseAndType(t *testing.T) {
	s := script(t, ok+"Content-Location: ../self.html\r\nContent-Length: 6\r\n\r\n%!PS-1", ok+"Content-Type: text\r\nContent-Length: 0\r\n\r\n", ok+"Content-Type: TEXT/Plain ; charset=x\r\nContent-Length: 0\r\n\r\n")
	c := client(t)
	d, _, err := get(t, c, "http://"+s.Addr()+"/a/b.txt", nil)
	if err != nil || d.Base != d.URI || d.Type != "application/postscript" {
		t.Errorf("got %v, %+v, want the URI as base (RFC 7231 appendix B), application/postscript", err, d)
	}
	if d, _, err = get(t, c, "http://"+s.Addr()+"/b.gif", nil); err != nil || d.Type != "image/gif" || d.Base != d.URI {
		t.Errorf("got %v, %+v, want image/gif, and the URI as base", err, d)
	}
	if d, _, err = get(t, c, "http://"+s.Addr()+"/b.gif", nil); err != nil || d.Type != "text/plain" {
		t.Errorf("got %v, %+v, want text/plain", err, d)
	}
}
