package check_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/fetch/check"
	"example.org/deref/uri"
)

// A TimeGate redirects to the memento, or is one itself (RFC 7089 patterns 1 and 2). A page without Memento-Datetime is not a copy.
func TestTimeGate(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		const when = "Thu, 01 Jan 2015 12:00:00 GMT"
		switch at := r.RequestURI; {
		case at == "/gate/http://gone.example/a?b=1&c" || at == "/q?u=http%3A%2F%2Fgone.example%2Fa%3Fb%3D1%26c":
			http.Redirect(w, r, "/memento/a", http.StatusFound)
		case at == "/memento/a", strings.HasSuffix(at, "http://gone.example/itself"):
			w.Header().Set("Memento-Datetime", when)
		case strings.HasSuffix(at, "http://gone.example/page"):
		default:
			w.WriteHeader(404)
		}
	}))
	t.Cleanup(s.Close)
	for _, c := range []struct{ base, link, want string }{
		{"/gate/", "http://u:p@gone.example/a?b=1&c#d", "/memento/a"},
		{"/q?u={uri}", "http://gone.example/a?b=1&c", "/memento/a"},
		{"/gate/", "http://gone.example/itself", "/gate/http://gone.example/itself"},
		{"/gate/", "http://gone.example/page", ""},
		{"/gate/", "http://gone.example/none", ""},
	} {
		g := &check.TimeGate{Client: client(t), Base: s.URL + c.base}
		got, err := g.Find(t.Context(), uri.MustParse(c.link))
		switch {
		case c.want == "":
			if !errors.Is(err, fetch.ErrNotFound) {
				t.Errorf("%s: got %v, %v; want ErrNotFound", c.link, got.URI, err)
			}
		case err != nil || got.URI.String() != s.URL+c.want || got.Time.Year() != 2015:
			t.Errorf("%s: got %v, %v; want %s of 2015", c.link, got, err, c.want)
		}
	}
}
