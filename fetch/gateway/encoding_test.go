package gateway_test

import (
	"html"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
)

// A link in a page of another encoding refers, through the gateway, to the URI that a browser would request.
func TestLinksOfAPageInKOI8(t *testing.T) {
	asked := make(chan string, 10)
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/" {
			asked <- r.RequestURI
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=koi8-r")
		io.WriteString(w, "<a href='\xcd\xc9\xd2?\xcd\xc9\xd2'>x</a>")
	}))
	t.Cleanup(site.Close)
	l := newLab(t, nil)
	page := read(t, l.URL+"/http/"+strings.TrimPrefix(site.URL, "http://")+"/")
	m := regexp.MustCompile(`target="_top"[^>]* href="([^"]*)"`).FindStringSubmatch(html.UnescapeString(page))
	if m == nil {
		t.Fatalf("got no link in %s", page)
	}
	page = read(t, l.URL+html.UnescapeString(m[1]))
	next := regexp.MustCompile(`/http/127[^"']*`).FindString(page) // the gateway redirects by a page of its own
	if next != "" {
		read(t, l.URL+html.UnescapeString(next))
	}
	select {
	case got := <-asked:
		if want := "/%D0%BC%D0%B8%D1%80?%CD%C9%D2"; got != want {
			t.Errorf("got a request of %s, want %s", got, want)
		}
	default:
		t.Errorf("got no request after %s: %s", m[1], page)
	}
}

func read(t *testing.T, url string) string {
	t.Helper()
	r, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	b, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
