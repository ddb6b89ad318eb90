package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"golang.org/x/text/encoding/htmlindex"
)

// A page of links has one file and one query, in an encoding that it or the header declares.
type encodedSite struct {
	mu    sync.Mutex
	asked []string
}

func (s *encodedSite) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	at := strings.Split(r.URL.Path, "/") // /meta/koi8-r/
	if len(at) != 4 || r.URL.Path == "/robots.txt" {
		http.NotFound(w, r)
		return
	}
	name := "text/html"
	if at[1] == "header" {
		name += "; charset=" + at[2]
	}
	w.Header().Set("Content-Type", name)
	if at[3] != "" {
		s.mu.Lock()
		s.asked = append(s.asked, r.RequestURI)
		s.mu.Unlock()
		w.Header().Set("Content-Type", "text/plain")
		io.WriteString(w, "ok")
		return
	}
	page := fmt.Sprintf("<p>&#233;<a href='&#1078;%[1]s.html'>x</a><a href='q?a=%[1]s'>x</a><a href='#%[1]s' id='%[1]s'>x</a><a href='#%[1]s-'>x</a>", wordIn(at[2]))
	if at[1] == "meta" {
		page = "<meta charset=" + at[2] + ">" + page
	}
	e, err := htmlindex.Get(at[2])
	if err != nil {
		panic(err)
	}
	b, err := e.NewEncoder().String(page)
	if err != nil {
		panic(err)
	}
	if at[1] == "mark" {
		b = "\xff\xfe" + b
	}
	io.WriteString(w, b)
}

// wordIn returns a word of the language of an encoding.
func wordIn(label string) string {
	switch label {
	case "shift_jis", "euc-jp", "iso-2022-jp":
		return "日本ソ"
	case "gb2312", "big5":
		return "中文"
	case "iso-8859-1":
		return "café"
	}
	return "мир"
}

// TestOneLinkIsOneURI: whatever the encoding of a page is, every command reads its links as browsers do (URL Standard section 4.4): paths in UTF-8,
// queries in the encoding of the page.
func TestOneLinkIsOneURI(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	run := func(t *testing.T, args ...string) (out, errs string, code int) {
		return invoked(t, input{home: home}, args...)
	}
	for _, at := range []string{"meta/koi8-r", "header/koi8-r", "meta/windows-1251", "meta/iso-8859-1", "meta/shift_jis", "header/euc-jp", "meta/iso-2022-jp",
		"header/iso-2022-jp", "header/gb2312", "meta/big5", "mark/utf-16le", "header/utf-16le", "meta/utf-8"} {
		t.Run(at, func(t *testing.T) {
			t.Parallel()
			site := &encodedSite{}
			srv := httptest.NewServer(site)
			t.Cleanup(srv.Close)
			dir, label := "/"+at+"/", filepath.Base(at)
			want := []string{dir + url.PathEscape("ж"+wordIn(label)+".html"), dir + "q?a=" + queryOf(t, label)}

			out, errs, code := run(t, "--links", srv.URL+dir)
			var got []string
			for line := range strings.Lines(out) {
				f := strings.Split(line, "\t")
				if _, here, _ := strings.Cut(f[1], srv.URL); !strings.Contains(here, "#") {
					got = append(got, here)
				}
			}
			if code != 0 || !slices.Equal(got, want) {
				t.Errorf("--links: got %q, exit code %d, %s\nwant %q", got, code, errs, want)
			}

			if out, errs, _ := run(t, "--link", "2", srv.URL+dir); out+errs != "ok" {
				t.Errorf("--link 2: got %q, want ok", out+errs)
			}
			if got := site.requests(); !slices.Equal(got, want[1:]) {
				t.Errorf("--link 2: got requests of %q\nwant %q", got, want[1:])
			}

			out, errs, code = run(t, "check", "-s", srv.URL+dir)
			if all := out + errs; code == 0 || strings.Count(all, "broken") != 1 || !strings.Contains(all, "-\n") && !strings.Contains(all, "part") {
				t.Errorf("check: got exit code %d, %s, want one broken link, the fragment that does not exist", code, all)
			}
			if got := site.requests(); !slices.Equal(got, want) {
				t.Errorf("check: got requests of %q\nwant %q", got, want)
			}

			copied := filepath.Join(t.TempDir(), "m")
			if out, errs, code := run(t, "mirror", "--no-parent", srv.URL+dir, copied); code != 0 {
				t.Errorf("mirror: got exit code %d, %s, want success", code, out+errs)
			}
			if got := site.requests(); !slices.Equal(got, want) {
				t.Errorf("mirror: got requests of %q\nwant %q", got, want)
			}
			site.checkCopy(t, copied, label)
		})
	}
}

// requests returns the requests since the last call, sorted.
func (s *encodedSite) requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	got := slices.Compact(slices.Sorted(slices.Values(s.asked)))
	s.asked = nil
	return got
}

// checkCopy checks that the links of the local copy refer to files that exist.
func (s *encodedSite) checkCopy(t *testing.T, dir, label string) {
	t.Helper()
	e, err := htmlindex.Get(label)
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(filepath.Join(dir, "index.html"))
	if err != nil {
		t.Fatal(err)
	}
	page, err := e.NewDecoder().String(string(b))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(page, "href='")
	ref, _, _ := strings.Cut(rest, "'")
	name, err := url.PathUnescape(strings.ReplaceAll(ref, "&#1078;", "ж"))
	if err != nil {
		t.Fatal(err)
	}
	if b, err := os.ReadFile(filepath.Join(dir, name)); string(b) != "ok" {
		t.Errorf("the local copy links to %q: got %q, %v, want ok", ref, b, err)
	}
	if !strings.Contains(page, "id='"+wordIn(label)+"'") {
		t.Errorf("the local copy: got %q, want its text unchanged", page)
	}
}

// queryOf returns the escaped word in the encoding of a page.
func queryOf(t *testing.T, label string) string {
	t.Helper()
	switch label {
	case "iso-2022-jp":
		return "%1B$BF%7CK%5C%25=%1B(B"
	case "utf-16le", "utf-8":
		return url.QueryEscape(wordIn(label))
	}
	e, err := htmlindex.Get(label)
	if err != nil {
		t.Fatal(err)
	}
	word, err := e.NewEncoder().String(wordIn(label))
	if err != nil {
		t.Fatal(err)
	}
	return url.QueryEscape(word)
}
