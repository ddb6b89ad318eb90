package gateway_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/gateway"
	"example.org/deref/fetch/warc"
	"example.org/deref/schemes"
	"example.org/deref/schemes/ftp/ftptest"
	"example.org/deref/schemes/gopher/gophertest"
	"example.org/deref/testdata"
	"example.org/deref/uri"
)

// archived captures URIs in an archive.
func archived(t *testing.T, uris ...string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "a.warc")
	w, err := warc.Create(name, nil)
	if err != nil {
		t.Fatal(err)
	}
	c := fetch.New(schemes.All(nil)...)
	defer c.Close()
	c.Recorder = warc.NewRecorder(w)
	for _, u := range uris {
		if d, err := c.Get(context.Background(), uri.MustParse(u), nil); err == nil {
			io.Copy(io.Discard, d.Body)
			d.Body.Close()
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return name
}

// inYear changes the year of all captures of an archive.
func inYear(t *testing.T, name, year string) {
	t.Helper()
	b, err := os.ReadFile(name)
	if err == nil {
		err = os.WriteFile(name, regexp.MustCompile("WARC-Date: [0-9]{4}").ReplaceAll(b, []byte("WARC-Date: "+year)), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// fromArchive returns a gateway that serves archives and can reach no network.
func fromArchive(t *testing.T, names ...string) lab {
	t.Helper()
	a, err := warc.OpenArchive(schemes.All(nil), names...)
	if err != nil {
		t.Fatal(err)
	}
	c := fetch.New(a.Schemes()...)
	c.Dialer = func(_ context.Context, _, addr string) (net.Conn, error) {
		t.Errorf("got a connection to %s, want none", addr)
		return nil, errors.New("no network")
	}
	c.Policy.DenyPrivate = true
	return labOf(t, c, &gateway.Config{Archive: a})
}

// An archive is browsed like the servers it was captured from, which do not exist any more.
func TestBrowsesAnArchive(t *testing.T) {
	g := gophertest.NewServer(testdata.Site(), nil)
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/moved":
			http.Redirect(w, r, "/page", http.StatusFound)
		case "/x.png":
			io.WriteString(w, "\x89PNG\r\n\x1a\n")
		case "/private":
			w.Header().Set("WWW-Authenticate", "Basic realm=x")
			w.WriteHeader(http.StatusUnauthorized)
		default:
			w.Header().Set("Content-Type", "text/html")
			io.WriteString(w, "<p>hello<img src=x.png><img src=\"x.png?'\"><a href=/moved>again</a>")
		}
	}))
	name := archived(t, g.URL+"/1/history", g.URL+"/0/history/ftp.txt", g.URL+"/0/nonesuch", page.URL+"/moved", page.URL+"/x.png", page.URL+"/x.png?'", page.URL+"/private")
	g.Close()
	page.Close()
	l := fromArchive(t, name)
	gopher, web := "/"+strings.Replace(g.URL, "://", "/", 1), "/"+strings.Replace(page.URL, "://", "/", 1)
	for _, tt := range []struct {
		path   string
		status int
		want   []string
	}{
		{"/", 200, []string{"Contents of the archive", "<td>gopher</td>", "<td>http</td>", time.Now().UTC().Format("2006-01")}},
		{"/-/archive?scheme=gopher&host=" + strings.TrimPrefix(g.URL, "gopher://"), 200, []string{gopher + `/0/history/ftp.txt">/0/history/ftp.txt</a>`, "failed",
			`value="` + g.URL + `/"`, `<a href="/">Contents of the archive</a> › <span aria-current="page">` + g.URL}},
		{"/-/archive?day=" + time.Now().UTC().Format(time.DateOnly), 200, []string{gopher + `/1/history">` + g.URL + "/1/history</a>"}},
		{gopher + "/1/history", 200, []string{"href=\"" + gopher + "/0/history/ftp.txt\"", "C: /history", "captured <time"}},
		{gopher + "/0/history/ftp.txt", 200, []string{"RFC 959", "all captures"}},
		{gopher + "/0/history/news.txt", 404, []string{"<h1>Not in the archive</h1>", "The archive does not hold this object", "the archive has no capture of gopher://",
			`<a href="/-/archive?host=` + strings.Replace(strings.TrimPrefix(g.URL, "gopher://"), ":", "%3A", 1) + `&amp;scheme=gopher">Everything`, `<a href="` + gopher + `/1/history">Go up`}},
		{gopher + "/0/nonesuch", 404, []string{"notfound", "C: /nonesuch", "<h1>Not found</h1>", "So it was when it was captured: The server has no such object"}},
		{web + "/moved/", 404, []string{"Not in the archive", `<a href="` + web + `/moved">The archive has `}},
		{"/-/at/20300101000000" + web + "/moved/", 404, []string{`<a href="/-/at/20300101000000` + web + `/moved">The archive has `}},
		{"/gopher/elsewhere.example/0/a", 404, []string{"Not in the archive"}},
		{web + "/moved", 200, []string{"hello", "GET /page HTTP/1.1", "200 OK"}},
		{"/-/captures" + gopher + "/1/history", 200, []string{"1 in the archive", "/-/at/"}},
		{"/-/captures" + gopher + "/1/none", 404, []string{"0 in the archive"}},
		{"/-/at/2026/" + gopher, 404, []string{"not a time"}},
		{"/-/at/20261123000000/-/at/20261123000000" + gopher, 404, []string{"a time within a time"}},
		{"/-/raw" + gopher + "/0/history/ftp.txt", 200, []string{"ftp\r\n---\r\n"}},
		{web + "/private", 401, []string{"So it was when it was captured"}},
	} {
		r, _ := l.shows(t, tt.path, nil, tt.want...)
		if r.StatusCode != tt.status {
			t.Errorf("%s: got %d, want %d", tt.path, r.StatusCode, tt.status)
		}
		if asks := r.Header.Get("WWW-Authenticate"); asks != "" {
			t.Errorf("%s: got WWW-Authenticate %q, want none: no server would get the password", tt.path, asks)
		}
	}
	_, body := l.ask(t, "/-/at/20300101000000"+web+"/page", nil)
	for _, link := range []string{`/-/image/[0-9a-f]+/-/at/20300101000000` + web + "/x.png", `/-/image/[0-9a-f]+/-/at/20300101000000/-/uri[^&]+`, `/-/to/[0-9a-f]+/-/at/20300101000000` + web + "/moved"} {
		found := regexp.MustCompile(link).FindString(body)
		if found == "" {
			t.Errorf("got no %s in %s", link, body)
			continue
		}
		r, _ := l.ask(t, found, nil)
		if embeds := r.Header.Get("Cross-Origin-Resource-Policy") == "cross-origin"; r.StatusCode != 200 || embeds != strings.Contains(link, "image") {
			t.Errorf("%s: got %d and %v, want 200, and only an image that a foreign page may embed", found, r.StatusCode, r.Header)
		}
	}
}

// Clients choose a time as RFC 7089 says, on pages and through the proxy, and links stay at that time.
func TestMemento(t *testing.T) {
	files := fstest.MapFS{"pub/a.txt": {Data: []byte("version 1\n")}}
	s := ftptest.NewServer(files, nil)
	u := s.URL + "/pub/a.txt"
	first := archived(t, s.URL+"/pub/", u)
	files["pub/a.txt"] = &fstest.MapFile{Data: []byte("version 2\n")}
	second := archived(t, s.URL+"/pub/", u)
	s.Close()
	inYear(t, first, "2016")
	inYear(t, second, "2020")
	l := fromArchive(t, first, second)
	path := "/ftp/" + strings.TrimPrefix(u, "ftp://")
	field := func(at time.Time) func(*http.Request) {
		return func(r *http.Request) { r.Header.Set("Accept-Datetime", at.UTC().Format(http.TimeFormat)) }
	}
	for year, want := range map[int]string{2015: "version 1\n", 2017: "version 1\n", 2019: "version 2\n", 2025: "version 2\n"} {
		at := time.Date(year, 12, 1, 0, 0, 0, 0, time.UTC)
		r, body := l.ask(t, "/-/raw"+path, field(at))
		captured := map[string]string{"version 1\n": " 2016 ", "version 2\n": " 2020 "}[want]
		if body != want || !strings.Contains(r.Header.Get("Memento-Datetime"), captured) {
			t.Errorf("%d: got %q of %q, want %q of%s", year, body, r.Header.Get("Memento-Datetime"), want, captured)
		}
		if links := r.Header.Get("Link"); !strings.Contains(links, "<"+u+`>; rel="original"`) || !strings.Contains(links, `</-/timemap`+path+`>; rel="timemap"`) ||
			r.Header.Get("Vary") != "Accept-Datetime" {
			t.Errorf("got Link %q and Vary %q, want the original, the TimeMap, and Accept-Datetime", links, r.Header.Get("Vary"))
		}
		stamp := at.UTC().Format("20060102150405")
		if _, body := l.ask(t, "/-/at/"+stamp+"/-/raw"+path, nil); body != want {
			t.Errorf("/-/at/%s: got %q, want %q", stamp, body, want)
		}
		l.shows(t, "/-/at/"+stamp+strings.TrimSuffix(path, "a.txt"), nil, `href="/-/at/`+stamp+path+`"`)
		head, got := throughProxy(t, l.URL, u, field(at))
		if got != want {
			t.Errorf("proxy: got %q, want %q", got, want)
		}
		contains(t, "proxy", head, "<"+l.URL+"/-/timemap"+path+`>; rel="timemap"`) // a path alone is one of the host that was captured
	}
	if r, _ := l.ask(t, path, func(r *http.Request) { r.Header.Set("Accept-Datetime", "yesterday") }); r.StatusCode != http.StatusBadRequest {
		t.Errorf("Accept-Datetime: yesterday: got %d, want 400", r.StatusCode)
	}
	r, body := l.ask(t, "/-/timemap"+path, nil)
	if n := strings.Count(body, "datetime="); n != 2 || r.Header.Get("Content-Type") != "application/link-format" || !strings.Contains(body, `rel="first memento"`) ||
		!strings.Contains(body, `rel="last memento"`) {
		t.Errorf("TimeMap: got %s\n%s\nwant the first and the last of two", r.Header.Get("Content-Type"), body)
	}
}

// Fields of a captured response do not replace those about its capture.
func TestMementoOfAMemento(t *testing.T) {
	old := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Link", "</a.css>; rel=preload")
		w.Header().Set("Vary", "Accept-Encoding")
		w.Header().Set("Memento-Datetime", "Mon, 01 Jan 1990 00:00:00 GMT")
	}))
	name := archived(t, old.URL+"/x")
	old.Close()
	head, _ := throughProxy(t, fromArchive(t, name).URL, old.URL+"/x", func(*http.Request) {})
	contains(t, "the header", head, "</a.css>; rel=preload", `rel="timemap"`, "Vary: Accept-Encoding", "Vary: Accept-Datetime", time.Now().UTC().Format("Jan 2006"))
	if strings.Contains(head, "1990") {
		t.Errorf("got the time of the captured response, want that of the capture:\n%s", head)
	}
}

// throughProxy returns the header and the document at u as a client of the proxy gets them.
func throughProxy(t *testing.T, proxy, u string, edit func(*http.Request)) (head, body string) {
	t.Helper()
	r, err := http.NewRequest("GET", proxy, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.URL.Opaque, r.Close = u, true
	edit(r)
	var request strings.Builder
	if err := r.Write(&request); err != nil {
		t.Fatal(err)
	}
	head, body, _ = strings.Cut(exchange(t, strings.TrimPrefix(proxy, "http://"), request.String()), "\r\n\r\n")
	return head, body
}
