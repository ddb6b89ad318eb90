package scope_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
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

// texts are documents by their URIs. It counts the requests.
type texts struct {
	fetch.Getter
	of       map[string]string
	requests int
}

func (s *texts) Get(_ context.Context, u uri.URI, _ *fetch.Options) (*fetch.Document, error) {
	s.requests++
	text, ok := s.of[u.String()]
	if !ok {
		return nil, fetch.Errorf(fetch.ErrNotFound, "no such document")
	}
	return &fetch.Document{Body: io.NopCloser(strings.NewReader(text))}, nil
}

// The rules of each scheme that has some are read when they are needed, and again after a day. Until then, Forbids knows nothing.
func TestSchemesWithRules(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &texts{of: map[string]string{}}
		rules := scope.NewRobots(s, "")
		for where, no := range map[string]string{"http://h/robots.txt": "http://h/no", "gopher://h/0robots.txt": "gopher://h/1/no", "gemini://h/robots.txt": "gemini://h/no", "": "ftp://h/no"} {
			s.of[where] = "User-agent: *\nDisallow: /no\n"
			u := uri.MustParse(no)
			before := rules.Forbids(u)
			ok, err := rules.Allows(t.Context(), u)
			if want := where == ""; ok != want || err != nil || before || rules.Forbids(u) == want {
				t.Errorf("%s: got %t, %v, before %t, after %t; want %t", u, ok, err, before, rules.Forbids(u), want)
			}
		}
		u := uri.MustParse("http://h/no")
		delete(s.of, "http://h/robots.txt")
		for _, c := range []struct {
			wait time.Duration
			want int
		}{{23 * time.Hour, 3}, {2 * time.Hour, 4}} {
			time.Sleep(c.wait)
			if ok, err := rules.Allows(t.Context(), u); ok != (c.want == 4) || err != nil || s.requests != c.want {
				t.Errorf("%v later: got %t, %v and %d requests, want %d", c.wait, ok, err, s.requests, c.want)
			}
		}
	})
}
