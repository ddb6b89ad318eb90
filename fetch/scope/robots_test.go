package scope_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/scope"
	httpscheme "example.org/deref/schemes/http"
	"example.org/deref/uri"
)

// served returns a server of one robots.txt, which is read once.
func served(t *testing.T, text string) (*fetch.Client, string) {
	reads := 0
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if reads++; reads > 1 {
			t.Errorf("got request %d: %s, want one", reads, r.URL)
		}
		io.WriteString(w, text)
	}))
	c := fetch.New(httpscheme.Schemes(nil)...)
	t.Cleanup(func() { c.Close(); srv.Close() })
	return c, srv.URL
}

func TestRules(t *testing.T) {
	c, base := served(t, "User-agent: *\nDisallow: /no\nCrawl-delay: 0.01\nSitemap: http://h/a.xml\nSitemap: b.xml\n")
	rules := scope.NewRobots(c, "deref")
	for path, want := range map[string]bool{"/": true, "/no/x": false, "/yes?no": true} {
		if got, err := rules.Allows(t.Context(), uri.MustParse(base+path)); got != want || err != nil {
			t.Errorf("%s: got %t, %v; want %t", path, got, err, want)
		}
	}
	if got := rules.Delay(uri.MustParse(base + "/")); got != 10*time.Millisecond {
		t.Errorf("got the delay %v, want 10ms", got)
	}
	if got := fmt.Sprint(rules.Sitemaps(t.Context(), uri.MustParse(base+"/"))); got != "[http://h/a.xml]" {
		t.Errorf("got the sitemaps %s, want [http://h/a.xml]", got)
	}
}
