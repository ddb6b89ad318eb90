package check_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/fetch/check"
	"example.org/deref/uri"
)

// TestSuspect: a portal that responds to everything with its own page is noticed, and is a failure only with FailSuspect.
func TestSuspect(t *testing.T) {
	portal := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
	}))
	defer portal.Close()
	text := ""
	for _, name := range []string{"a.zip", "b.png", "c.txt", "d.html", "e"} {
		text += portal.URL + "/" + name + "\n"
	}
	for _, fail := range []bool{false, true} {
		got, sum := run(t, "list.txt", text, &check.Options{FailSuspect: fail})
		for name, want := range map[string]check.Verdict{"a.zip": check.Suspect, "b.png": check.Suspect, "c.txt": check.Suspect,
			"d.html": check.OK, "e": check.OK} {
			r := got[portal.URL+"/"+name]
			if r == nil || r.Verdict != want || (r.Suspect != "") != (want == check.Suspect) {
				t.Errorf("fail %t, %s: got %+v, want %q", fail, name, r, want)
			}
		}
		if want := "5 links, 2 ok, 3 suspect, in "; !strings.HasPrefix(sum.String(), want) {
			t.Errorf("fail %t: got %q, want %q", fail, sum.String(), want)
		}
		if errors.Is(sum.First, fetch.ErrUnavailable) != fail || sum.First == nil == fail {
			t.Errorf("got the error %v, want unavailable: %t", sum.First, fail)
		}
		var j map[string]any
		b, err := json.Marshal(got[portal.URL+"/a.zip"])
		if err != nil || json.Unmarshal(b, &j) != nil || j["verdict"] != "suspect" ||
			j["suspect"] != "got a web page for a name that ends in .zip" {
			t.Errorf("fail %t: got %s, %v; want a suspect", fail, b, err)
		}
		var out strings.Builder
		report := check.NewJUnit(&out, "links")
		report.Add(got[portal.URL+"/a.zip"])
		if err := report.Close(); err != nil || strings.Contains(out.String(), "<failure") != fail {
			t.Errorf("got %v, %s; want a failure: %t", err, out.String(), fail)
		}
	}
}

// TestRedirectIsNotSuspect: a download that redirects to another host, with its own media type.
func TestRedirectIsNotSuspect(t *testing.T) {
	cdn := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/zip")
	}))
	defer cdn.Close()
	site := httptest.NewServer(http.RedirectHandler(strings.Replace(cdn.URL, "127.0.0.1", "localhost", 1)+"/x", http.StatusFound))
	defer site.Close()
	got, _ := run(t, "list.txt", site.URL+"/download/x.zip\n", &check.Options{})
	if r := got[site.URL+"/download/x.zip"]; r == nil || r.Verdict != check.Redirected || r.Suspect != "" {
		t.Errorf("got %+v, want %q", r, check.Redirected)
	}
}

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
