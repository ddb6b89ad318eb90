package gopher

import (
	"crypto/tls"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fetchtest"
	"example.org/deref/fetch/fetchtest/loopback"
	"example.org/deref/schemes/gopher/gophertest"
	"example.org/deref/uri"
)

// site returns the documents of the in-process servers.
func site() fstest.MapFS {
	file := func(s string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(s)} }
	return fstest.MapFS{
		"README.txt":      file("One.\nTwo.\n"),
		"dots.txt":        file("a\n.\n..\n.b\n...\n.\nend\n"),
		"nofinal.txt":     file("no line end"),
		"empty.txt":       file(""),
		"bytes.bin":       file("\x00\r\n.\r\n..\xff\r\n.\r\n"),
		"pixel.gif":       file("GIF89a\x01\x00"),
		"photo":           file("\x89PNG\r\n\x1a\n\x00"),
		"page.html":       file("<p>Hello\n"),
		"0":               file("zero\n"),
		"00":              file("double zero\n"),
		"with blank.txt":  file("blank\n"),
		"caf\xc3\xa9.txt": file("utf-8 name\n"),
		"3 blind mice":    file("3 blind mice\n"),
		"a/b.txt":         file("b\n"),
		"views/x.txt":     file("plain\n"),
		"views/x.html":    file("<p>html\n"),
		"views/x.de.txt":  file("deutsch\n"),
		"v/<view>.txt":    file("plain\n"),
		"v/<view>.html":   file("<p>html\n"),
		"menu/gophermap":  file("!Title\nA line\n0Readme\t/README.txt\nhThe Web\tURL:http://www.example/\n8Catalogue\tguest\tlib.example\t23\n"),
		"bad/gophermap":   file("0Bad port\t/x\thost.example\tseventy\n0Good\t/README.txt\n"),
	}
}

func serve(t testing.TB, o *gophertest.Options) *loopback.Server {
	t.Helper()
	s := gophertest.NewServer(site(), o)
	t.Cleanup(s.Close)
	return s
}

func client() *fetch.Client { return fetch.New(Schemes()...) }

// get dereferences s with a new client and reads the whole document.
func get(t testing.TB, s string, o *fetch.Options) (*fetch.Document, string, error) {
	t.Helper()
	return fetchtest.Get(t, s, o, Schemes()...)
}

func TestDocuments(t *testing.T) {
	srv := serve(t, nil)
	for _, tt := range []struct{ path, body, typ string }{
		{"/0/README.txt", "One.\nTwo.\n", "text/plain"},
		{"/0README.txt", "One.\nTwo.\n", "text/plain"}, // the slash belongs to the selector, if it has one
		{"/0/dots.txt", "a\n.\n..\n.b\n...\n.\nend\n", "text/plain"},
		{"/00", "zero\n", "text/plain"},
		{"/000", "double zero\n", "text/plain"},
		{"/0/README.txt%09%09", "One.\nTwo.\n", "text/plain"}, // an empty Gopher+ string
		{"/0/with%20blank.txt", "blank\n", "text/plain"},
		{"/0/caf%C3%A9.txt", "utf-8 name\n", "text/plain"},
		{"/0/3%20blind%20mice", "3 blind mice\n", "text/plain"}, // begins like an error item
		{"/9/bytes.bin", "\x00\r\n.\r\n..\xff\r\n.\r\n", "application/octet-stream"},
		{"/g/pixel.gif", "GIF89a\x01\x00", "image/gif"},
		{"/I/photo", "\x89PNG\r\n\x1a\n\x00", "image/png"},
	} {
		d, body, err := get(t, srv.URL+tt.path, nil)
		if d != nil && strings.HasPrefix(d.Type, "text/") {
			body = strings.ReplaceAll(body, "\r\n", "\n")
		}
		if err != nil || body != tt.body || d.Type != tt.typ {
			t.Errorf("%s: got %q, %v, %+v, want %q, %s", tt.path, body, err, d, tt.body, tt.typ)
		}
	}
}

func TestErrors(t *testing.T) {
	reply := func(s string) *gophertest.Options {
		return &gophertest.Options{Faults: &gophertest.Faults{Reply: map[string]string{"/x": s}}}
	}
	for _, tt := range []struct {
		name string
		o    *gophertest.Options
		path string
		want fetch.Kind
	}{
		{"missing, RFC 1436", nil, "/0/missing", fetch.ErrNotFound},
		{"missing menu", nil, "/1/missing/", fetch.ErrNotFound},
		{"missing binary", nil, "/9/missing", fetch.ErrNotFound},
		{"missing, gophernicus", reply("Error: File or directory not found! (null)\r\n" + strings.Repeat("_", 67) + "\r\n"), "/0/x", fetch.ErrNotFound},
		{"missing, pygopherd", reply("3'/x' does not exist (no handler found)\t\terror.host\t1\r\n"), "/0/x", fetch.ErrNotFound},
		{"gophernicus forbids", reply("Error: Access denied! File or directory not world-readable\r\n" + strings.Repeat("_", 67) + "\r\n"),
			"/0/x", fetch.ErrRefused},
		{"an empty response", &gophertest.Options{Faults: &gophertest.Faults{Empty: true}}, "/0/x", fetch.ErrTruncated},
		{"an item of type 3 denies", reply("3'/x': Permission denied\t\terror.host\t1\r\n"), "/0/x", fetch.ErrRefused},
		{"errors and text, gophernicus", reply("3Error: none\tTITLE\tnull.host\t1\r\ni____\t\tnull.host\t1\r\n.\r\n"),
			"/1/x", fetch.ErrNotFound},
		{"an error among items", reply("3Error: none\tTITLE\tnull.host\t1\r\n0a\t/a\th\t70\r\n.\r\n"), "/1/x", ""},
		{"a text about an error", reply("Error: it went wrong.\r\nThen it went on.\r\n"), "/0/x", ""},
		{"a text that begins with 3", reply("3\r\n"), "/0/x", ""},
		{"reset", &gophertest.Options{Faults: &gophertest.Faults{Reset: true, CutAfter: 5}}, "/9/bytes.bin", fetch.ErrTruncated},
		{"endless line", &gophertest.Options{Faults: &gophertest.Faults{EndlessLine: true}}, "/1/", fetch.ErrLimit},
		{"CR LF in the selector", nil, "/0/a%0D%0Ab", fetch.ErrRefusedURL},
		{"LF in the words", nil, "/7/search?a%0Ab", fetch.ErrRefusedURL},
		{"CR LF after a TAB", nil, "/7/search%09a%0D%0AEVIL", fetch.ErrRefusedURL},
		{"NUL", nil, "/0/a%00", fetch.ErrRefusedURL},
		{"part", nil, "/0/README.txt", ""},
	} {
		srv := serve(t, tt.o)
		if _, _, err := get(t, srv.URL+tt.path, nil); fetch.KindOf(err) != tt.want {
			t.Errorf("%s: got %v (%s), want %s", tt.name, err, fetch.KindOf(err), tt.want)
		}
	}
}

func TestTLS(t *testing.T) {
	for _, tt := range []struct {
		name    string
		o       gophertest.Options
		trusted bool
		want    fetch.Kind
	}{
		{"ordinary", gophertest.Options{}, true, ""},
		{"unknown authority", gophertest.Options{}, false, fetch.ErrTLS},
		{"end without close_notify", gophertest.Options{Faults: &gophertest.Faults{NoCloseNotify: true}}, true, fetch.ErrTruncated},
		{"nothing", gophertest.Options{Faults: &gophertest.Faults{Empty: true}}, true, fetch.ErrTruncated},
	} {
		tt.o.SelfSigned = true
		srv := serve(t, &tt.o)
		c := client()
		if tt.trusted {
			c.TLS = &tls.Config{RootCAs: srv.Roots()}
		}
		d, err := c.Get(t.Context(), uri.MustParse(srv.URL+"/0/README.txt"), nil)
		if err == nil {
			_, err = io.ReadAll(d.Body)
			d.Body.Close()
		}
		if fetch.KindOf(err) != tt.want {
			t.Errorf("%s: got %v, want kind %q", tt.name, err, tt.want)
		}
	}
}

func TestMenuWithinTLS(t *testing.T) {
	srv := serve(t, &gophertest.Options{SelfSigned: true})
	c := client()
	c.TLS = &tls.Config{RootCAs: srv.Roots()}
	var got []string
	for e, err := range c.Entries(t.Context(), uri.MustParse(srv.URL+"/1/menu"), nil) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, e.URI.String())
	}
	want := []string{"", "", srv.URL + "/0/README.txt", "http://www.example/", "telnet://guest@lib.example/"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestRangesAreRefused(t *testing.T) {
	if _, _, err := get(t, "gopher://h.invalid/0/x", &fetch.Options{Range: fetch.Range{From: 3}}); !errors.Is(err, fetch.ErrRange) {
		t.Errorf("got %v, want range", err)
	}
}

func TestSearch(t *testing.T) {
	srv := serve(t, nil)
	for _, tt := range []struct {
		path  string
		words []string
	}{
		{"/7/search?two+one", nil},
		{"/7/search%09two%20one", nil},
		{"/7/search", []string{"two", "one"}},
		{"/7/search?other", []string{"two one"}},
	} {
		d, err := client().Get(t.Context(), uri.MustParse(srv.URL+tt.path), &fetch.Options{Search: tt.words})
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for e, err := range d.Entries {
			if err != nil || e.Title != "README.txt" || e.URI.String() != srv.URL+"/0/README.txt" {
				t.Errorf("%s %q: got %v, %+v, want README.txt", tt.path, tt.words, err, e)
			}
			n++
		}
		d.Body.Close()
		if n != 1 {
			t.Errorf("%s: got %d entries, want 1", tt.path, n)
		}
	}
	want := strings.Repeat("/search\ttwo one|", 3) + "/search\ttwo one"
	if got := strings.Join(srv.Transcript(), "|"); got != want {
		t.Errorf("got the requests %q, want %q", got, want)
	}
}
