package mirror_test

import (
	"encoding/binary"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"unicode/utf16"

	"example.org/deref/fetch/mirror"
	"example.org/deref/schemes/gopher/gophertest"
	"example.org/deref/schemes/spartan/spartantest"
	"example.org/deref/uri"
)

func TestLinksLeadToLocalCopies(t *testing.T) {
	w := newWeb(t, map[string]string{
		"/": "<a href=\"/a/\">a</a> <a href='a/x.html#f' >same</a> <A HREF=/q?b=1&amp;c=2>q</A>\r\n" +
			"<a href=\"gone.html\">\xe9</a> <a href=old>o</a> <form action=/post></form>",
		"/a/":         `<base href="/b/"><a href="y.txt">y</a><a href="#here"></a>`,
		"/a/x.html":   `<a href="./x.html">self</a><img srcset="/b/y.txt 1x, nowhere.png 2x">`,
		"/b/y.txt":    "y",
		"/q?b=1&c=2":  "q",
		"/old":        "->/a/x.html",
		"/robots.txt": "",
	})
	dir := t.TempDir()
	for range 2 { // the second changes nothing
		sum, err := mirror.Run(t.Context(), client(t), uri.MustParse(w.root), dir, nil)
		if err != nil || sum.Failed != 3 {
			t.Fatalf("got %+v, %v; want Failed 3", sum, err)
		}
		got := tree(t, dir)
		for name, want := range map[string]string{
			"index.html": "<a href=\"a/index.html\">a</a> <a href='a/x.html#f' >same</a> <A HREF=\"q@b=1&amp;c=2\">q</A>\r\n<a href=\"" + w.root +
				"/gone.html\">\xe9</a> <a href=\"a/x.html\">o</a> <form action=\"" + w.root + "/post\"></form>",
			"a/index.html": `<base href=""><a href="../b/y.txt">y</a><a href="` + w.root + `/b/#here"></a>`,
			"a/x.html":     `<a href="./x.html">self</a><img srcset="../b/y.txt 1x, ` + w.root + `/a/nowhere.png 2x">`,
			"b/y.txt":      "y",
		} {
			if got[name] != want {
				t.Errorf("%s: %q\nwant %q", name, got[name], want)
			}
		}
		if b, err := os.ReadFile(filepath.Join(dir, ".deref/original/index.html")); string(b) != w.pages["/"] {
			t.Errorf("the original: got %q, %v; want %q", b, err, w.pages["/"])
		}
	}
	w.pages["/a/x.html"] = "changed"
	sum, _ := mirror.Run(t.Context(), client(t), uri.MustParse(w.root), dir, nil)
	got := tree(t, dir)
	if sum.Saved != 1 || got["a/x.html"] != "changed" || got["b/y.txt"] != "y" {
		t.Errorf("%+v, %q", sum, got)
	}
	if _, err := os.Stat(filepath.Join(dir, ".deref/original/a/x.html")); err == nil {
		t.Error("the original of an unchanged page still exists")
	}
}

// The links after a script of a few megabytes are followed, and who mirrors a page with a longer one is told that some may be missing.
func TestLinksAfterLongScripts(t *testing.T) {
	t.Parallel()
	page := func(size int) string {
		return "<script>" + strings.Repeat("x", size) + `</script><a href="/b.txt">b</a>`
	}
	w := newWeb(t, map[string]string{"/": page(3 << 20), "/b.txt": "b", "/long/": page(5 << 20), "/robots.txt": ""})
	for path, want := range map[string]string{"/": "[] [b.txt index.html]", "/long/": "[/long/ links after a tag or script that is too long] [long/index.html]"} {
		var warned []string
		dir := t.TempDir()
		run(t, w.root+path, dir, &mirror.Options{NoIndex: true, Done: func(e mirror.Event) {
			if e.Warn {
				warned = append(warned, strings.TrimPrefix(e.URI.String(), w.root)+" "+e.Why)
			}
		}})
		if got := fmt.Sprint(warned, " ", strings.Fields(namesIn(t, dir))); got != want {
			t.Errorf("%s: got %s, want %s", path, got, want)
		}
	}
}

func TestMenusLeadToLocalCopies(t *testing.T) {
	g := gophertest.NewServer(fstest.MapFS{
		"gophermap":        {Data: []byte("iHello\n1Down\t/sub\n0Text\t/t.txt\n0Map\t/sub/my.gophermap\n0Gone\t/gone.txt\n1Far\t/\tgopher.example\t70\n")},
		"sub/gophermap":    {Data: []byte("1Top\t/\n9Octets\t/sub/b.bin\n")},
		"sub/b.bin":        {Data: []byte("\x00b")},
		"sub/my.gophermap": {Data: []byte("m\n")},
		"t.txt":            {Data: []byte("t\n")},
	}, nil)
	defer g.Close()
	dir := t.TempDir()
	sum, err := mirror.Run(t.Context(), client(t), uri.MustParse(g.URL), dir, nil)
	if err != nil || sum.Failed != 1 {
		t.Fatalf("got %+v, %v; want Failed 1", sum, err)
	}
	host, port, _ := strings.Cut(g.Addr, ":")
	got := tree(t, dir)
	if want := "1Down\t/sub\r\n0Text\t/t.txt\r\n0Map\t/sub/my.gophermap\r\n0Gone\t/gone.txt\t" + host + "\t" + port +
		"\r\n1Far\t/\tgopher.example\t70\r\n"; !strings.HasSuffix(got["gophermap"], want) {
		t.Errorf("%q\nwant %q", got["gophermap"], want)
	}
	if want := "1Top\t/\r\n9Octets\t/sub/b.bin\r\n"; got["sub/gophermap"] != want {
		t.Errorf("%q", got["sub/gophermap"])
	}
	// A server for gophermaps shows the mirror, with the same content.
	again := gophertest.NewServer(os.DirFS(dir), nil)
	defer again.Close()
	copied := t.TempDir()
	if sum, err := mirror.Run(t.Context(), client(t), uri.MustParse(again.URL), copied, nil); err != nil || sum.Failed > 0 {
		t.Fatalf("got %+v, %v; want Failed 0", sum, err)
	}
	if second := tree(t, copied); !maps.Equal(got, second) {
		t.Errorf("%q\nwant %q", second, got)
	}
}

func TestGemtextLeadsToLocalCopies(t *testing.T) {
	top := "# Hello\n=> /sub/ Down\n=> t.txt Text\n=> gone.gmi Gone\n=> gemini://far.example/ Far\n```\n=> /t.txt as it stands\n```\n"
	s := spartantest.NewServer(fstest.MapFS{"t.txt": {Data: []byte("t\n")}}, &spartantest.Options{Reply: map[string]string{
		"/": "2 text/gemini\r\n" + top, "/sub/": "2 text/gemini\r\n=> ../t.txt\n=> / Top\n",
	}})
	defer s.Close()
	dir := t.TempDir()
	sum, err := mirror.Run(t.Context(), client(t), uri.MustParse(s.URL+"/"), dir, nil)
	if err != nil || sum.Failed != 1 || sum.Saved != 3 {
		t.Fatalf("got %+v, %v; want Failed 1 and Saved 3", sum, err)
	}
	got := tree(t, dir)
	if want := "# Hello\n=> sub/index.gmi Down\n=> t.txt Text\n=> " + s.URL +
		"/gone.gmi Gone\n=> gemini://far.example/ Far\n```\n=> /t.txt as it stands\n```\n"; got["index.gmi"] != want {
		t.Errorf("%q\nwant %q", got["index.gmi"], want)
	}
	if want := "=> ../t.txt\n=> ../index.gmi Top\n"; got["sub/index.gmi"] != want {
		t.Errorf("%q\nwant %q", got["sub/index.gmi"], want)
	}
}

// The rules of robots.txt may be IRIs.
func TestRobotsInUTF8(t *testing.T) {
	w := newWeb(t, map[string]string{
		"/":                         "<meta charset=utf-8><a href='мир/a.txt'>a</a><a href='мы.txt'>b</a>",
		"/robots.txt":               "\xef\xbb\xbfUser-agent: *\nDisallow: /мир/\n",
		"/%D0%BC%D0%B8%D1%80/a.txt": "a", "/%D0%BC%D1%8B.txt": "b",
	})
	dir := t.TempDir()
	run(t, w.root+"/", dir, &mirror.Options{NoIndex: true})
	if got := namesIn(t, dir); got != "index.html мы.txt" {
		t.Errorf("got %s, want index.html мы.txt", got)
	}
}

// The charset that only the header declares is known when the server reports that a page has not changed, and when its links are rewritten
// again.
func TestCharsetIsRecorded(t *testing.T) {
	var mu sync.Mutex
	var asked []string
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		w.Header().Set("Etag", `"1"`)
		switch {
		case r.URL.Path == "/robots.txt":
			http.NotFound(w, r)
		case r.Header.Get("If-None-Match") != "":
			w.WriteHeader(http.StatusNotModified)
		case r.URL.Path == "/":
			w.Header().Set("Content-Type", "text/html; charset=koi8-r")
			w.Write([]byte("\xff<a href='\xcd\xc9\xd2.txt'>\xcd</a>"))
		default:
			asked = append(asked, r.RequestURI)
			w.Header().Set("Content-Type", "text/plain")
			w.Write([]byte("text"))
		}
	}))
	t.Cleanup(s.Close)
	dir := t.TempDir()
	for range 2 {
		run(t, s.URL+"/", dir, nil)
		b, err := os.ReadFile(filepath.Join(dir, "index.html"))
		if want := `<meta charset="koi8-r">` + "\xff<a href='%D0%BC%D0%B8%D1%80.txt'>\xcd</a>"; string(b) != want || err != nil {
			t.Errorf("got the page %q, %v, want %q", b, err, want)
		}
		if _, err := os.Stat(filepath.Join(dir, "мир.txt")); err != nil {
			t.Error(err)
		}
		if err := os.Remove(filepath.Join(dir, "мир.txt")); err != nil { // the second time it is fetched again, by the link
			t.Fatal(err)
		}
	}
	mu.Lock()
	defer mu.Unlock()
	if want := strings.Repeat("/%D0%BC%D0%B8%D1%80.txt ", 2); !slices.Equal(asked, strings.Fields(want)) {
		t.Errorf("got requests of %q, want %s", asked, want)
	}
}

// wide returns s in UTF-16LE.
func wide(s string) (b string) {
	for _, c := range utf16.Encode([]rune(s)) {
		b += string(binary.LittleEndian.AppendUint16(nil, c))
	}
	return b
}

// TestDeclaredEncoding: a browser shows the local copy of a page in the encoding that only the server's header has named.
func TestDeclaredEncoding(t *testing.T) {
	pages := map[string]struct{ contentType, page, want string }{
		"/doctype.html":  {"text/html; charset=koi8-r", "<!-- > -->\n<!DOCTYPE html>\n<p>\xcd", "<!-- > -->\n<!DOCTYPE html><meta charset=\"koi8-r\">\n<p>\xcd"},
		"/none.html":     {"text/html; charset=KOI8-R", "<p>\xcd", "<meta charset=\"koi8-r\"><p>\xcd"},
		"/utf8.html":     {"text/html; charset=utf-8", "<p>é", "<meta charset=\"utf-8\"><p>é"},
		"/another.html":  {"text/html; charset=koi8-r", "<meta charset=latin1>\xcd", "<meta charset=\"koi8-r\"><meta charset=latin1>\xcd"},
		"/same.html":     {"text/html; charset=koi8-r", "<meta charset=koi8-r>\xcd", "<meta charset=koi8-r>\xcd"},
		"/silent.html":   {"text/html", "<p>\xcd", "<p>\xcd"},
		"/xhtml.xhtml":   {"application/xhtml+xml; charset=koi8-r", "<p>\xcd</p>", "<p>\xcd</p>"},
		"/utf16.html":    {"text/html; charset=utf-16le", wide("<p>я"), wide("\ufeff<p>я")},
		"/iso2022.html":  {"text/html; charset=iso-2022-jp", "<p>\x1b$B$\"\x1b(B", "<meta charset=\"iso-2022-jp\"><p>\x1b$B$\"\x1b(B"},
		"/link.html":     {"text/html; charset=koi8-r", "<a href='silent.html?\xcd'>", "<meta charset=\"koi8-r\"><a href='silent.html@%CD'>"}, // its query is in KOI8-R
		"/unclosed.html": {"text/html; charset=koi8-r", "<!doctype \xcd", "<meta charset=\"koi8-r\"><!doctype \xcd"},
	}
	site, links := map[string]sent{}, ""
	for path, p := range pages {
		site[path] = sent{p.contentType, p.page}
		links += fmt.Sprintf("<a href='%s'>", path)
	}
	site["/"], site["/silent.html?%CD"] = sent{"text/html", links}, sent{"text/plain", ""}
	s := serveSite(t, site)
	dir := t.TempDir()
	run(t, s.URL+"/", dir, nil)
	for path, p := range pages {
		b, err := os.ReadFile(filepath.Join(dir, path))
		if string(b) != p.want || err != nil {
			t.Errorf("%s: got %q, %v, want %q", path, b, err, p.want)
		}
	}
}
