package gateway_test

import (
	"compress/gzip"
	"flag"
	"html"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	client "example.org/deref/fetch/fetchtest/lab"
	"example.org/deref/schemes/ftp/ftptest"
	"example.org/deref/schemes/gopher/gophertest"
	"example.org/deref/schemes/nex/nextest"
	"example.org/deref/testdata/pages"
)

var update = flag.Bool("update", false, "write testdata/pages again")

// kinds starts a server for each type of page.
func kinds(t *testing.T) (lab, []pages.Page) {
	t.Helper()
	l, list := pages.All(t)
	return lab{l.Server, l.FTP, l.Gopher}, list
}

var (
	addresses = regexp.MustCompile(`127\.0\.0\.1(:|%3A|%253A|=)[0-9]+`)
	unstable  = regexp.MustCompile(`(?s)<style>.*?</style>|<footer>.*</footer>\n`)
)

// The pages of thirteen types are those of testdata/pages. After a change, look at them in a browser, and run
// `go test ./fetch/gateway -run Kinds -update`. The style sheet and the section "How was this fetched?" are omitted.
func TestKindsOfPages(t *testing.T) {
	l, list := kinds(t)
	for _, k := range list {
		resp, body := l.ask(t, k.Path, nil)
		if want := map[bool]int{false: 200, true: 404}[k.Name == "error"]; resp.StatusCode != want || resp.Header.Get("Content-Type") != "text/html; charset=utf-8" {
			t.Errorf("%s: got %s, %s, want %d and HTML in UTF-8", k.Name, resp.Status, resp.Header.Get("Content-Type"), want)
		}
		got := addresses.ReplaceAllString(unstable.ReplaceAllString(body, ""), "127.0.0.1${1}PORT")
		name := filepath.Join("testdata", "pages", k.Name+".html")
		if *update {
			if err := os.WriteFile(name, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if got != strings.ReplaceAll(string(want), "\r\n", "\n") {
			t.Errorf("%s: got\n%s\nwant\n%s", k.Name, got, want)
		}
	}
}

// Browsers for text show each type of page.
func TestTextBrowsers(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a program for each page")
	}
	l, list := kinds(t)
	for _, program := range [...]string{"lynx", "w3m"} {
		t.Run(program, func(t *testing.T) {
			for _, k := range list {
				if k.Name == "error" && program == "lynx" {
					continue // lynx -dump shows no page with an error status
				}
				out, err := client.Run(t, program, "-dump", l.URL+k.Path)
				if err != nil || !strings.Contains(strings.Join(strings.Fields(out), " "), strings.Join(strings.Fields(k.Text), " ")) {
					t.Errorf("%s: got %v, want %q in\n%s", k.Name, err, k.Text, out)
				}
				rows := regexp.MustCompile(`(?m)^ *(a|history|README\.txt) `).FindAllStringSubmatchIndex(out, -1)
				for _, at := range rows {
					if k.Name == "ftp" && (len(rows) < 3 || at[2]-at[0] != rows[0][2]-rows[0][0]) {
						t.Errorf("ftp: got names in different columns, want one column in\n%s", out)
						break
					}
				}
			}
		})
	}
}

// A client of HTTP/1.0 without a Host field gets the pages.
func TestHTTP10WithoutHost(t *testing.T) {
	l, list := kinds(t)
	for _, k := range list {
		resp, body := l.say(t, "GET "+k.Path+" HTTP/1.0\r\n\r\n")
		if !strings.HasSuffix(body, "</html>\n") || resp.StatusCode >= 400 && k.Name != "error" {
			t.Errorf("%s: got %s, %.200s", k.Name, resp.Status, body)
		}
	}
}

// A text of a bulletin board has a page, although its type is unknown.
func TestBoardText(t *testing.T) {
	l := newFTPLab(t, fstest.MapFS{
		"lake.ans": {Data: []byte("\x1b[1;34m\xb1\xb1\x1b[0m\x1b]0;x\x07\r\n")}, "a.nfo": {Data: []byte("\xda\xc4\xbf")}, "b.nfo": {Data: []byte("\x00\x01")},
	})
	for path, want := range map[string]string{"/lake.ans": "▒▒", "/a.nfo": "┌─┐", "/b.nfo": "binary"} {
		l.shows(t, "/ftp/"+l.ftp+path, nil, want)
	}
}

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
		l.shows(t, at+"index.gmi", nil, "<h1>Owls &amp; &lt;b&gt;</h1>", "<h2>Kinds</h2>", `<a href="`+at+`barn.gmi">The barn owl</a>`, "<li>Tawny owl</li>", "Gemtext ·")
		if _, raw := l.ask(t, "/-/raw"+at+"index.gmi", nil); strings.ReplaceAll(raw, "\r\n", "\n") != pages.Gemtext {
			t.Errorf("/-/raw%s: got %q, want the text", at, raw)
		}
	}
}

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
	_, page := l.ask(t, "/http/"+strings.TrimPrefix(site.URL, "http://")+"/", nil)
	m := regexp.MustCompile(`target="_top"[^>]* href="([^"]*)"`).FindStringSubmatch(html.UnescapeString(page))
	if m == nil {
		t.Fatalf("got no link in %s", page)
	}
	_, page = l.ask(t, html.UnescapeString(m[1]), nil)
	next := regexp.MustCompile(`/http/127[^"']*`).FindString(page) // the gateway redirects by a page of its own
	if next != "" {
		l.ask(t, html.UnescapeString(next), nil)
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

// A page of XHTML is shown as one of HTML: with its title, and links that stay in the gateway.
func TestXHTML(t *testing.T) {
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/xhtml+xml")
		io.WriteString(w, `<html xmlns="http://www.w3.org/1999/xhtml"><head><script src="x"/><title>An &amp; owl</title></head><body><a href="http://h.example/b">b</a></body></html>`)
	}))
	t.Cleanup(web.Close)
	newLab(t, nil).shows(t, "/http/"+strings.TrimPrefix(web.URL, "http://")+"/", nil, "<h1>An &amp; owl</h1>", "HTML page (application/xhtml+xml)", "/http/h.example/b&quot;>b</a>")
}

// A text and its original are decoded if the server compresses them although nobody has asked for that.
func TestCodedPages(t *testing.T) {
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		if r.URL.Path == "/a.tgz" {
			w.Header().Set("Content-Type", "application/x-gzip")
		}
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		io.WriteString(z, "It hoots.")
		z.Close()
	}))
	t.Cleanup(web.Close)
	l := newLab(t, nil)
	for _, form := range []string{"", "/-/raw"} {
		l.shows(t, form+"/http/"+strings.TrimPrefix(web.URL, "http://")+"/", nil, "It hoots.")
	}
	if _, body := l.ask(t, "/http/"+strings.TrimPrefix(web.URL, "http://")+"/a.tgz", nil); !strings.HasPrefix(body, "\x1f\x8b") {
		t.Errorf("got %q, want the archive", body)
	}
}
