package mirror_test

import (
	"encoding/binary"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf16"

	"example.org/deref/fetch/mirror"
)

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
