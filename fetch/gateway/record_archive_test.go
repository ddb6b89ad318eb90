package gateway_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/fetch/gateway"
	"example.org/deref/fetch/warc"
	"example.org/deref/schemes"
)

// A gateway whose Client has a Recorder archives what readers request, without their passwords and cookies.
func TestArchivesWhatReadersRequest(t *testing.T) {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, password, _ := r.BasicAuth(); r.URL.Path == "/private" && password != "OpenSesame" {
			w.Header().Set("WWW-Authenticate", `Basic realm="x"`)
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		http.SetCookie(w, &http.Cookie{Name: "session", Value: "c00kieOfTheReader"})
		io.WriteString(w, "the document at "+r.URL.Path)
	}))
	t.Cleanup(site.Close)
	name := filepath.Join(t.TempDir(), "a.warc")
	w, err := warc.Create(name, &warc.Options{HideCookies: true})
	if err != nil {
		t.Fatal(err)
	}
	c := fetch.New(schemes.All(nil)...)
	t.Cleanup(func() { c.Close() })
	c.Recorder = warc.NewRecorder(w)
	s := httptest.NewServer(gateway.New(c, nil))
	t.Cleanup(s.Close)
	l := lab{Server: s}
	reader := func(r *http.Request) {
		r.Header.Set("Cookie", "session=c00kieOfTheReader")
		r.SetBasicAuth("ann", "OpenSesame")
	}
	throughProxy(t, s.URL, site.URL+"/public", reader)
	throughProxy(t, s.URL, site.URL+"/private", reader)
	l.ask(t, "/http/"+strings.TrimPrefix(site.URL, "http://")+"/page", reader)
	l.ask(t, "/-/raw/http/"+strings.TrimPrefix(site.URL, "http://")+"/private", reader)
	s.Close() // and every request has ended
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	text := string(b)
	for _, secret := range []string{"OpenSesame", "YW5uOk9wZW5TZXNhbWU", "c00kieOfTheReader"} {
		if strings.Contains(text, secret) {
			t.Errorf("got %s in the archive, want no secret of a reader:\n%s", secret, text)
		}
	}
	for _, want := range []string{"the document at /public", "the document at /page"} {
		if !strings.Contains(text, want) {
			t.Errorf("got no %q in\n%s", want, text)
		}
	}
	a := fromArchive(t, name)
	if _, got := throughProxy(t, a.URL, site.URL+"/public", func(*http.Request) {}); got != "the document at /public" {
		t.Errorf("from the archive: got %q, want the document", got)
	}
}
