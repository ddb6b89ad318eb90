package gateway_test

import (
	"fmt"
	"html"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"example.org/deref/fetch/warc"
)

// A list of more URIs than are sorted is read page by page, each from where the last one ended, with or without an index.
func TestPagesOfManyURIs(t *testing.T) {
	t.Parallel()
	const n = 5101
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
			if !strings.Contains(body, "More than 5000 URIs") {
				t.Fatalf("%s: got\n%.2000s\nwant a list that is not counted", path, body)
			}
			for _, m := range link.FindAllStringSubmatch(body, -1) {
				seen[m[1]]++
			}
			path = ""
			if m := next.FindStringSubmatch(body); m != nil {
				path = html.UnescapeString(m[1])
			}
		}
		if len(seen) != n || pages != 11 {
			t.Errorf("index %t: got %d URIs on %d pages, want %d on 11", index, len(seen), pages, n)
		}
		for path, times := range seen {
			if times != 1 {
				t.Errorf("index %t: got %s %d times, want once", index, path, times)
				break
			}
		}
		if _, body := l.ask(t, "/-/archive?day=2026-01-02", nil); !strings.Contains(body, "<p>102 URIs</p>") {
			t.Errorf("index %t: got\n%.2000s\nwant the 102 URIs of the day", index, body)
		}
		if _, body := l.ask(t, "/-/archive?at=x", nil); !strings.Contains(body, "is not a place in the archive") {
			t.Errorf("index %t: got\n%.2000s\nwant an error", index, body)
		}
	}
}
