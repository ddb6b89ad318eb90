package mirror_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"

	"example.org/deref/fetch/mirror"
)

// TestSuspect: web pages in place of other documents are reported, whether links still refer to them or only a probe finds them.
func TestSuspect(t *testing.T) {
	const index = `<a href=a.txt>a</a> <a href=b>b</a> <a href=c.html>c</a>`
	portal, linked := false, true
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/robots.txt":
			http.NotFound(w, r)
		case r.URL.Path == "/" && linked:
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, index)
		case portal || r.URL.Path == "/c.html":
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, "<html>log in</html>")
		default:
			w.Header().Set("Content-Type", "application/x-thing")
			fmt.Fprint(w, "thing")
		}
	}))
	defer s.Close()
	for _, tt := range []struct {
		name           string
		portal, linked bool
		want           []string
	}{
		{"as always", false, true, nil},
		{"portal", true, true, []string{"/a.txt saved", "/b saved"}},
		{"portal, no links", true, false, []string{"/a.txt kept", "/b kept"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			portal, linked = false, true
			dir := t.TempDir()
			run(t, s.URL+"/", dir, nil)
			portal, linked = tt.portal, tt.linked
			var got []string
			sum := run(t, s.URL+"/", dir, &mirror.Options{Delete: true, Done: func(e mirror.Event) {
				if e.Suspect != "" {
					got = append(got, fmt.Sprintf("%s %s", e.URI.Path(), e.Did))
				}
			}})
			slices.Sort(got)
			if !slices.Equal(got, tt.want) || sum.Suspect != int64(len(tt.want)) {
				t.Errorf("got %q, %d suspect; want %q", got, sum.Suspect, tt.want)
			}
		})
	}
}
