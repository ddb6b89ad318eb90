package gateway_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"example.org/deref/schemes/ftp/ftptest"
	"example.org/deref/testdata"
)

// An error page explains itself to readers, and has what solves the problem: a form for words, a way to log in, the way up.
func TestErrorsAddressReaders(t *testing.T) {
	f := ftptest.NewServer(testdata.Site(), &ftptest.Options{NoAnonymous: true, Users: map[string]ftptest.User{"ann": {Password: "sesame"}}})
	t.Cleanup(f.Close)
	l := newLab(t, nil)
	private := strings.TrimPrefix(f.URL, "ftp://")
	for _, tt := range []struct {
		path   string
		status int
		has    []string
	}{
		{"/ftp/" + l.ftp + "/history/nonesuch.txt", 404, []string{"<h1>Not found</h1>", `<a href="/ftp/` + l.ftp + `/history/">Go up to history</a>`, "<strong>notfound</strong>"}},
		{"/-/uri?ftp://" + private + "/", 401, []string{"<h1>Login required</h1>", `<a href="/ftp/` + private + `/">Log in at 127.0.0.1`}},
		{"/gopher/nonesuch.invalid/1/a", 502, []string{"<h1>No such host</h1>", `<a href="/gopher/nonesuch.invalid/1/a">Try again</a>`}},
		{"/telnet/127.0.0.1:2323/", 403, []string{"<h1>Not permitted here</h1>"}},
		{"/ftp/" + l.ftp + "/a%0d%0aDELE%20x", 400, []string{"<h1>That address cannot be opened</h1>"}},
	} {
		resp, body := l.ask(t, tt.path, nil)
		if resp.StatusCode != tt.status {
			t.Errorf("%s: got %s, want %d", tt.path, resp.Status, tt.status)
		}
		for _, want := range tt.has {
			if !strings.Contains(body, want) {
				t.Errorf("%s lacks %s:\n%s", tt.path, want, body)
			}
		}
	}
}

// Images, sound and PDF are shown within a page to browsers. Other programs get the bytes.
func TestEmbeddedDocuments(t *testing.T) {
	types := map[string]string{"/a.png": "image/png", "/a.ogg": "audio/ogg", "/a.mp4": "video/mp4", "/a.pdf": "application/pdf", "/a.zip": "application/zip"}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", types[r.URL.Path])
		io.WriteString(w, "bytes")
	}))
	t.Cleanup(srv.Close)
	l := newLab(t, nil)
	at := "/http/" + strings.TrimPrefix(srv.URL, "http://")
	browser := func(r *http.Request) { r.Header.Set("Accept", "text/html,*/*;q=0.8") }
	for path, want := range map[string]string{
		"/a.png": `<img class="o" src="/-/raw` + at + `/a.png" alt="a.png">`, "/a.ogg": `<audio controls preload="metadata" src="/-/raw` + at + `/a.ogg">`,
		"/a.mp4": `<video controls`, "/a.pdf": `<embed type="application/pdf" src="/-/raw` + at + `/a.pdf"`, "/a.zip": "bytes",
	} {
		if _, body := l.ask(t, at+path, browser); !strings.Contains(body, want) {
			t.Errorf("%s: got %s, want %s", path, body, want)
		}
		if _, body := l.ask(t, at+path, nil); body != "bytes" {
			t.Errorf("%s: got %q for a program, want the bytes", path, body)
		}
	}
}
