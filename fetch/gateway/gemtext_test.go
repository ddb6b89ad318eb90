package gateway_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"

	"example.org/deref/schemes/ftp/ftptest"
	"example.org/deref/schemes/gopher/gophertest"
	"example.org/deref/schemes/nex/nextest"
	"example.org/deref/testdata/pages"
)

// Gemtext is shown as such by whatever scheme it comes, with links relative to it. The original is still the text.
func TestGemtextOfOtherSchemes(t *testing.T) {
	files := fstest.MapFS{"owls/index.gmi": {Data: []byte(pages.Gemtext)}}
	f, g, n := ftptest.NewServer(files, nil), gophertest.NewServer(files, nil), nextest.NewServer(files, nil)
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		io.WriteString(w, pages.Gemtext)
	}))
	for _, stop := range []func(){f.Close, g.Close, n.Close, h.Close} {
		t.Cleanup(stop)
	}
	l := newLab(t, nil)
	for _, dir := range []string{f.URL + "/owls/", g.URL + "/0/owls/", n.URL + "/owls/", h.URL + "/owls/"} {
		at := "/" + strings.Replace(dir, "://", "/", 1)
		_, body := l.ask(t, at+"index.gmi", nil)
		for _, want := range []string{"<h1>Owls &amp; &lt;b&gt;</h1>", "<h2>Kinds</h2>", `<a href="` + at + `barn.gmi">The barn owl</a>`, "<li>Tawny owl</li>", "Gemtext ·"} {
			if !strings.Contains(body, want) {
				t.Errorf("%s lacks %s:\n%s", at, want, body)
			}
		}
		if _, raw := l.ask(t, "/-/raw"+at+"index.gmi", nil); strings.ReplaceAll(raw, "\r\n", "\n") != pages.Gemtext {
			t.Errorf("/-/raw%s: got %q, want the text", at, raw)
		}
	}
}
