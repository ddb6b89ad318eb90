package http_test

import (
	"context"
	"fmt"
	"io"
	nethttp "net/http"
	"net/http/httptest"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/schemes/http"
	"example.org/deref/uri"
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
	c := fetch.New(http.Schemes(nil)...)
	defer c.Close()
	for _, x := range []struct {
		path  string
		o     fetch.Options
		body  string
		want  fetch.Kind // of Refusal
		error fetch.Kind // of Get
	}{
		{"/gone", fetch.Options{}, "", "", fetch.ErrNotFound},
		{"/gone", fetch.Options{Refusals: true}, "no page\n", fetch.ErrNotFound, ""},
		{"/moved", fetch.Options{Refusals: true}, "no page\n", fetch.ErrNotFound, ""},
		{"/busy", fetch.Options{Refusals: true}, "later\n", fetch.ErrUnavailable, ""},
		{"/login", fetch.Options{Refusals: true}, "log in\n", fetch.ErrAuth, ""},
		{"/login", fetch.Options{Refusals: true, Login: fetch.Login{User: "ann", Password: "x", Set: true}}, "welcome", "", ""},
		{"/gone", fetch.Options{Refusals: true, Range: fetch.Range{From: 1}}, "", "", fetch.ErrNotFound},
	} {
		d, err := c.Get(t.Context(), uri.MustParse(s.URL+x.path), &x.o)
		if fetch.KindOf(err) != x.error {
			t.Errorf("%s: got error %v, want %q", x.path, err, x.error)
		}
		if err != nil {
			continue
		}
		body, err := io.ReadAll(d.Body)
		d.Body.Close()
		got := fetch.Kind("")
		if d.Refusal != nil {
			got = d.Refusal.Kind
		}
		if string(body) != x.body || got != x.want || err != nil {
			t.Errorf("%s: got %q, %q, %v, want %q, %q", x.path, body, got, err, x.body, x.want)
		}
	}
}

// TestRefusalAsksForLogin: Logins is called as if the refusal was an error.
func TestRefusalAsksForLogin(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) {
		if user, _, _ := r.BasicAuth(); user == "ann" {
			fmt.Fprint(w, "welcome")
			return
		}
		w.Header().Set("WWW-Authenticate", `Basic realm="r"`)
		nethttp.Error(w, "log in", nethttp.StatusUnauthorized)
	}))
	defer s.Close()
	c := fetch.New(http.Schemes(nil)...)
	defer c.Close()
	c.Logins = func(ctx context.Context, r fetch.LoginRequest) (fetch.Login, error) {
		return fetch.Login{User: "ann", Password: "x", Set: true}, nil
	}
	d, err := c.Get(t.Context(), uri.MustParse(s.URL), &fetch.Options{Refusals: true})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Body.Close()
	if body, err := io.ReadAll(d.Body); string(body) != "welcome" || err != nil || d.Refusal != nil {
		t.Errorf("got %q, %v, %v, want welcome", body, err, d.Refusal)
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
	c := fetch.New(http.Schemes(nil)...)
	defer c.Close()
	c.TLS = s.Client().Transport.(*nethttp.Transport).TLSClientConfig
	get := func(path string) *fetch.Document {
		d, err := c.Get(t.Context(), uri.MustParse(s.URL+path), nil)
		if err != nil {
			t.Fatal(err)
		}
		defer d.Body.Close()
		io.Copy(io.Discard, d.Body)
		return d
	}
	first := get("/")
	if x := first.Times; x.Redirect != 0 || x.Lookup <= 0 || x.Connect < x.Lookup || x.TLS <= x.Connect || x.Reply <= x.TLS {
		t.Errorf("got %+v, want increasing times without a redirect", x)
	}
	if "https://"+first.Remote.String() != s.URL || !first.Local.Addr().IsLoopback() {
		t.Errorf("got %s and %s, want the ends of the connection to %s", first.Local, first.Remote, s.URL)
	}
	again := get("/moved")
	if x := again.Times; x.Connect != 0 || x.TLS != 0 || x.Redirect <= 0 || x.Reply < x.Redirect || again.Remote.IsValid() {
		t.Errorf("got %+v, %s, want only a redirect and a reply on the open connection", x, again.Remote)
	}
}
