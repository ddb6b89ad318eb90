package httpbridge_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"example.org/deref/fetch"
	"example.org/deref/fetch/httpbridge"
	"example.org/deref/fetch/policy"
	"example.org/deref/schemes/data"
	"example.org/deref/schemes/ftp"
	"example.org/deref/schemes/ftp/ftptest"
	"example.org/deref/schemes/gopher"
	"example.org/deref/schemes/gopher/gophertest"
)

func site() fstest.MapFS {
	return fstest.MapFS{"about.txt": {Data: []byte("All about us.\n")}, "dir/a.html": {Data: []byte("<p>a")}}
}

// client is an http.Client with more schemes than http and https.
func client(t *testing.T) *http.Client {
	t.Helper()
	var all []fetch.Scheme
	all = append(append(append(all, gopher.Schemes()...), ftp.Schemes(nil)...), data.Scheme())
	c := fetch.New(all...)
	tr := &http.Transport{}
	httpbridge.Register(tr, c)
	t.Cleanup(func() { c.Close(); tr.CloseIdleConnections() })
	return &http.Client{Transport: tr}
}

func TestGet(t *testing.T) {
	g := gophertest.NewServer(site(), nil)
	defer g.Close()
	f := ftptest.NewServer(site(), &ftptest.Options{NoAnonymous: true, Users: map[string]ftptest.User{"alice": {Password: "sesame"}}})
	defer f.Close()
	h := httptest.NewServer(http.FileServerFS(site()))
	defer h.Close()
	withUser := func(u string) string { return strings.Replace(u, "//", "//alice:sesame@", 1) }
	c := client(t)
	for _, tt := range []struct {
		u      string
		status int
		typ    string
		body   string
	}{
		{g.URL + "/0/about.txt", 200, "text/plain", "All about us.\r\n"},
		{g.URL + "/0/none", 404, "text/plain; charset=utf-8", ""},
		{withUser(f.URL) + "/about.txt", 200, "text/plain", "All about us.\n"},
		{withUser(f.URL) + "/none", 404, "text/plain; charset=utf-8", ""},
		{f.URL + "/about.txt", 401, "text/plain; charset=utf-8", ""},
		{"data:text/html,%3Cp%3Ehello", 200, "text/html", "<p>hello"},
		{h.URL + "/about.txt", 200, "text/plain; charset=utf-8", "All about us.\n"}, // net/http's own
	} {
		resp, err := c.Get(tt.u)
		if err != nil {
			t.Errorf("%s: %v", tt.u, err)
			continue
		}
		b, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil || resp.StatusCode != tt.status || resp.Header.Get("Content-Type") != tt.typ || tt.body != "" && string(b) != tt.body {
			t.Errorf("%s: got %s, %s, %q, %v; want %+v", tt.u, resp.Status, resp.Header.Get("Content-Type"), b, err, tt)
		}
		if strings.Contains(resp.Header.Get("Content-Location"), "sesame") {
			t.Errorf("%s: the header contains the password: %v", tt.u, resp.Header)
		}
	}
}

func TestHeadRangeAndAuthorization(t *testing.T) {
	f := ftptest.NewServer(site(), &ftptest.Options{NoAnonymous: true, Users: map[string]ftptest.User{"alice": {Password: "sesame"}}})
	defer f.Close()
	c := client(t)
	for _, tt := range []struct {
		method, ask string
		status      int
		body, part  string
	}{
		{"HEAD", "", 200, "", ""},
		{"GET", "bytes=4-", 206, "about us.\n", "bytes 4-13/14"},
		{"GET", "bytes=0-2", 206, "All", "bytes 0-2/14"},
		{"GET", "bytes=4-8", 206, "about", "bytes 4-8/14"},
		{"GET", "bytes=-4", 206, "us.\n", "bytes 10-13/14"},
		{"GET", "lines=1-2", 200, "All about us.\n", ""},
		{"GET", "bytes=99-", 416, "", ""},
		{"GET", "bytes=14-", 416, "", "bytes */14"},
	} {
		r, err := http.NewRequestWithContext(t.Context(), tt.method, f.URL+"/about.txt", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.SetBasicAuth("alice", "sesame")
		if tt.ask != "" {
			r.Header.Set("Range", tt.ask)
		}
		resp, err := c.Do(r)
		if err != nil {
			t.Errorf("%s %s: %v", tt.method, tt.ask, err)
			continue
		}
		b, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil || resp.StatusCode != tt.status || resp.StatusCode != 416 && string(b) != tt.body ||
			resp.Header.Get("Content-Range") != tt.part {
			t.Errorf("%s %s: got %s, %q, %v, %v; want %+v", tt.method, tt.ask, resp.Status, b, resp.Header, err, tt)
		}
	}
}

// TestAccept: the types are in order of their quality, which the schemes state in their own way.
func TestAccept(t *testing.T) {
	r := httptest.NewRequest("GET", "http://h/", nil)
	r.Header.Add("Accept", "*/*;q=0.1, text/plain; q=0.5,text/html;level=1, image/png;q=0, bad/;q=1")
	r.Header.Add("Accept", "application/xml;q=0.9")
	o, err := httpbridge.Options(r)
	if want := []string{"text/html; level=1", "application/xml", "text/plain", "*/*"}; err != nil || !slices.Equal(o.Accept, want) {
		t.Errorf("got %q, %v; want %q", o.Accept, err, want)
	}
}

// TestAnswer: a response describes exactly the bytes that it has.
func TestAnswer(t *testing.T) {
	for _, tt := range []struct {
		ask, coding  string
		offset, size int64
		status       int
		part         string
	}{
		{"", "", 0, 9, 200, ""},
		{"", "gzip", 0, 9, 200, ""},
		{"bytes=0-2", "", 0, 9, 206, "bytes 0-2/9"},
		{"bytes=0-2", "", 0, 3, 200, ""},
		{"bytes=0-2", "", 0, -1, 206, "bytes 0-2/*"}, // of unknown length: at least the part was sent
		{"bytes=3-5", "", 3, -1, 206, "bytes 3-5/*"},
	} {
		r := httptest.NewRequest("GET", "http://h/", nil)
		if tt.ask != "" {
			r.Header.Set("Range", tt.ask)
		}
		d := fetch.NewDocument(http.NoBody)
		d.Offset, d.Size = tt.offset, tt.size
		if tt.coding != "" {
			d.Header.Set("Content-Encoding", tt.coding) // which nobody has undone
		}
		resp := httpbridge.Answer(r, d)
		if h := resp.Header; resp.StatusCode != tt.status || h.Get("Content-Range") != tt.part || h.Get("Content-Encoding") != tt.coding {
			t.Errorf("%+v: got %s, %v", tt, resp.Status, h)
		}
	}
}

// Errors keep their kind through net/http.
func TestErrors(t *testing.T) {
	c := client(t)
	_, err := c.Get("gopher://127.0.0.1:25/0/x")
	if !errors.Is(err, fetch.ErrRefusedPort) {
		t.Errorf("got %v, want ErrRefusedPort", err)
	}
	_, err = c.Post("data:,x", "text/plain", strings.NewReader("y"))
	if !errors.Is(err, fetch.ErrUnsupported) {
		t.Errorf("got %v, want ErrUnsupported", err)
	}
}

// The Policy of the Client is that of the http.Client, and its error is visible through net/http's.
func TestRulesOfThePolicy(t *testing.T) {
	c := fetch.New(gopher.Schemes()...)
	defer c.Close()
	rule, err := policy.ParseRule("deny host=*.internal")
	if err != nil {
		t.Fatal(err)
	}
	c.Policy.Rules = []policy.Rule{rule}
	transport := &http.Transport{}
	httpbridge.Register(transport, c)
	_, err = (&http.Client{Transport: transport}).Get("gopher://db.internal/")
	if !errors.Is(err, fetch.ErrDenied) {
		t.Errorf("got %v, want denied", err)
	}
}
