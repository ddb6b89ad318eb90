package gateway_test

import (
	"context"
	"fmt"
	"html"
	"net/http"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/warc"
	"example.org/deref/schemes"
	"example.org/deref/schemes/ftp/ftptest"
	"example.org/deref/schemes/ldap/ldaptest"
	"example.org/deref/testdata"
	"example.org/deref/uri"
)

// newFTPLab is a gateway and an FTP server for files.
func newFTPLab(t *testing.T, files fstest.MapFS) (l lab) {
	t.Helper()
	f, err := ftptest.Listen(files, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.Close)
	l = labOf(t, fetch.New(schemes.All(nil)...), nil)
	l.ftp = strings.TrimPrefix(f.URL, "ftp://")
	return l
}

// namesOn returns the names in the table of a page.
func namesOn(page string) (names []string) {
	for _, m := range regexp.MustCompile(`<th scope="row" align="left">.*?<a href="[^"]*">([^<]*)</a>`).FindAllStringSubmatch(page, -1) {
		names = append(names, m[1])
	}
	return names
}

// A listing with long names is sorted in bounded memory.
func TestLongNames(t *testing.T) {
	list := fetch.Scheme{Names: []string{"ftp"}, Does: fetch.Does{Retrieves: true}}
	list.Plan = func(u uri.URI, _ *fetch.Options) (*fetch.Plan, error) {
		return &fetch.Plan{Run: func(context.Context, *fetch.Plan, *fetch.Env) (*fetch.Document, error) {
			return fetch.NewListing(func(yield func(fetch.Entry, error) bool) {
				for e := (fetch.Entry{URI: u, Title: strings.Repeat("x", 1<<20)}); yield(e, nil); {
				}
			}), nil
		}}, nil
	}
	if _, body := labOf(t, fetch.New(list), nil).ask(t, "/ftp/h/", nil); !strings.Contains(body, "the first 64 MB are sorted, and the listing has more") {
		t.Errorf("got %.300q ... %.500q, want the bound", body, body[max(0, len(body)-500):])
	}
}

// A long listing is shown on pages, which links connect: each has every entry once, and is small.
func TestPagesOfAListing(t *testing.T) {
	const n = 900
	files := fstest.MapFS{}
	for i := range n {
		files[fmt.Sprintf("a file with a rather long name %05d.txt", i)] = &fstest.MapFile{Data: []byte("x"), ModTime: time.Unix(800_000_000, 0)}
	}
	l := newFTPLab(t, files)
	next := regexp.MustCompile(`<a rel="next" href="([^"]*)">`)
	seen, pages := map[string]bool{}, 0
	for path := "/ftp/" + l.ftp + "/"; path != ""; pages++ {
		resp, body := l.ask(t, path, nil)
		if resp.StatusCode != http.StatusOK || len(body) > 200_000 {
			t.Fatalf("%s: got %s and %d bytes, want at most 200000", path, resp.Status, len(body))
		}
		for _, name := range namesOn(body) {
			if seen[name] {
				t.Fatalf("%s: got %s again", path, name)
			}
			seen[name] = true
		}
		if !strings.Contains(body, " of 900<") {
			t.Errorf("%s: want the number of entries in %s", path, body[len(body)-2000:])
		}
		if path = ""; next.MatchString(body) {
			path = next.FindStringSubmatch(body)[1]
		}
	}
	if len(seen) != n {
		t.Errorf("got %d entries on %d pages, want %d", len(seen), pages, n)
	}
}

// The heads of a table sort it, and directories come first. A date has no more digits than the server states.
func TestSortedListing(t *testing.T) {
	at := func(year int) time.Time { return time.Date(year, 12, 20, 12, 0, 0, 0, time.UTC) }
	l := newFTPLab(t, fstest.MapFS{
		"b.txt":    {Data: []byte("12345"), ModTime: at(1994)},
		"A.txt":    {Data: []byte("123"), ModTime: at(1996)},
		"c.bin":    {Data: make([]byte, 71_000), ModTime: at(1995)},
		"z/in.txt": {Data: []byte("1"), ModTime: at(1997)},
	})
	path := "/ftp/" + l.ftp + "/"
	for _, tt := range []struct{ path, want string }{
		{path, "z A.txt b.txt c.bin"},
		{"/-/view/from=1,by=name" + path, "z A.txt b.txt c.bin"},
		{"/-/view/from=1,by=-name" + path, "z c.bin b.txt A.txt"},
		{"/-/view/from=1,by=-size" + path, "z c.bin b.txt A.txt"},
		{"/-/view/from=1,by=modified" + path, "z b.txt c.bin A.txt"},
		{"/-/view/from=3,by=name" + path, "b.txt c.bin"},
		{"/-/view/from=x,by=nonsense,z" + path, "z A.txt b.txt c.bin"},
	} {
		_, body := l.ask(t, tt.path, nil)
		if got := strings.Join(namesOn(body), " "); got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.path, got, tt.want)
		}
		head := `<a href="/-/view/from=1,by=-size` + path + `">Size</a>`
		if strings.Contains(tt.path, "size") {
			head = `aria-sort="descending"`
		}
		contains(t, tt.path, body, `<data value="71000">71`+"\u00a0"+`kB</data>`, head)
	}
}

// The page of a directory server's root links to its entries, in steps that the user takes.
func TestRootOfADirectory(t *testing.T) {
	t.Parallel()
	l := newLab(t, nil)
	s := ldaptest.NewServer(testdata.Site(), nil)
	t.Cleanup(s.Close)
	root := "/ldap/" + strings.TrimPrefix(s.URL, "ldap://") + "/"
	path := root
	for _, next := range []string{root + "?namingContexts", root + "o=site??one", root + "ou=history,o=site", root + "ou=history,o=site??one", root + "cn=ftp.txt,ou=history,o=site"} {
		l.shows(t, path, nil, `href="`+next+`"`)
		path = next
	}
}

// Browsers get an icon from the gateway itself.
func TestIcon(t *testing.T) {
	t.Parallel()
	r, body := newLab(t, nil).ask(t, "/favicon.ico", nil)
	if r.Header.Get("Content-Type") != "image/svg+xml" || r.Header.Get("X-Content-Type-Options") != "nosniff" || !strings.HasPrefix(body, "<svg ") {
		t.Errorf("got %v\n%s\nwant an SVG image", r.Header, body)
	}
}

// A list of more URIs than are sorted is read page by page, each from where the last one ended, with or without an index.
func TestPagesOfManyURIs(t *testing.T) {
	t.Parallel()
	const n = 1101
	for _, index := range []bool{false, true} {
		name := filepath.Join(t.TempDir(), "a.warc")
		w, err := warc.Create(name, &warc.Options{Index: index, Wait: time.Minute})
		if err != nil {
			t.Fatal(err)
		}
		for i := range n {
			day := 1 + i%2*(i%50/49) // one of 50 on the second
			if err := w.Write(&warc.Record{Fields: warc.Fields{{Name: "WARC-Type", Value: warc.Resource}, {Name: "WARC-Target-URI", Value: fmt.Sprintf("gopher://h/0/%d", i)},
				{Name: "WARC-Date", Value: fmt.Sprintf("2026-01-%02dT00:00:00Z", day)}}, Block: strings.NewReader("")}); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		l := fromArchive(t, name)
		next := regexp.MustCompile(`<a rel="next" href="([^"]*)"`)
		link := regexp.MustCompile(`<a href="(/gopher/h/0/[0-9]+)"`)
		seen, pages := map[string]int{}, 0
		for path := "/-/archive?scheme=gopher&host=h"; path != ""; pages++ {
			_, body := l.ask(t, path, nil)
			if !strings.Contains(body, "In the order of the archive") {
				t.Fatalf("%s: got\n%.2000s\nwant a list in the order of the archive", path, body)
			}
			for _, m := range link.FindAllStringSubmatch(body, -1) {
				seen[m[1]]++
			}
			path = ""
			if m := next.FindStringSubmatch(body); m != nil {
				path = html.UnescapeString(m[1])
			}
		}
		if len(seen) != n || pages != 3 {
			t.Errorf("index %t: got %d URIs on %d pages, want %d on 3", index, len(seen), pages, n)
		}
		for path, times := range seen {
			if times != 1 {
				t.Errorf("index %t: got %s %d times, want once", index, path, times)
				break
			}
		}
		if _, body := l.ask(t, "/-/archive?day=2026-01-02", nil); len(link.FindAllString(body, -1)) != 22 {
			t.Errorf("index %t: got\n%.2000s\nwant the 22 URIs of the day", index, body)
		}
		l.shows(t, "/-/archive?at=x", nil, "is not a place in the archive")
	}
}
