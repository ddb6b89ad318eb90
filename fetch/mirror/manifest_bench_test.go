package mirror

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/batch"
	"example.org/deref/uri"
)

// emptyManifest returns the manifest of a directory of its own, and a function that closes it.
func emptyManifest(b *testing.B) (m *manifest, done func()) {
	root, err := os.OpenRoot(b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	if m, err = openManifest(root, false); err != nil {
		b.Fatal(err)
	}
	return m, func() { m.close(); root.Close() }
}

// BenchmarkAll reads the records of a tree of 3,000 files, as each step at the end of a Run does.
func BenchmarkAll(b *testing.B) {
	m, done := emptyManifest(b)
	defer done()
	const files = 3000
	now := time.Now()
	for i := range files {
		r := Record{URI: fmt.Sprintf("ftp://ftp.example/tree/%02d/f%04d.txt", i/50, i), Path: fmt.Sprintf("%02d/f%04d.txt", i/50, i), Kind: File, Type: "text/plain",
			SHA256: strings.Repeat("0123456789abcdef", 4), Size: int64(i), Listed: &listed{Size: int64(i), Modified: now, Exact: "minute"}, Time: now}
		if err := m.add(r); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		n := 0
		for _, err := range m.all() {
			if err != nil {
				b.Fatal(err)
			}
			n++
		}
		if n != files {
			b.Fatalf("got %d records, want %d", n, files)
		}
	}
}

// BenchmarkAdd records 3,000 files as a first Run does: the path when it is chosen, and the document when it was saved.
func BenchmarkAdd(b *testing.B) {
	now := time.Now()
	for b.Loop() {
		m, done := emptyManifest(b)
		for i := range 3000 {
			r := Record{URI: fmt.Sprintf("ftp://ftp.example/tree/%04d.txt", i), Path: fmt.Sprintf("%04d.txt", i), Kind: File, Time: now}
			if err := m.add(r); err != nil {
				b.Fatal(err)
			}
			r.Type, r.SHA256, r.Size = "text/plain", strings.Repeat("0123456789abcdef", 4), int64(i)
			if err := m.add(r); err != nil {
				b.Fatal(err)
			}
		}
		done()
	}
}

// BenchmarkByURI looks up the records of a site of 500 pages, as each link of each page does.
func BenchmarkByURI(b *testing.B) {
	m, done := emptyManifest(b)
	defer done()
	const pages = 500
	name := func(i int) string { return fmt.Sprintf("http://site.example/p%03d.html", i%pages) }
	for i := range pages {
		if err := m.add(Record{URI: name(i), Path: fmt.Sprintf("p%03d.html", i), Kind: Page, Type: "text/html"}); err != nil {
			b.Fatal(err)
		}
	}
	i := 0
	for b.Loop() {
		if _, ok, err := m.byURI(name(i)); !ok || err != nil {
			b.Fatalf("got %v, %v; want the record of %s", ok, err, name(i))
		}
		i++
	}
}

// BenchmarkKnownLink adds the URIs of a site of 500 pages again, as most links do.
func BenchmarkKnownLink(b *testing.B) {
	m := &mirror{client: &fetch.Client{Schemes: fetch.Registry{{Names: []string{"http"}, Does: fetch.Does{Retrieves: true}}}}, options: (*Options)(nil).withDefaults()}
	m.setTop(uri.MustParse("http://site.example/"), false)
	var err error
	if m.frontier, err = batch.OpenFrontier(b.TempDir() + "/frontier"); err != nil {
		b.Fatal(err)
	}
	defer m.frontier.Close()
	const pages = 500
	i := 0
	add := func() {
		if err := m.add(uri.MustParse(fmt.Sprintf("http://site.example/p%03d.html", i%pages)), note{Depth: 1}); err != nil {
			b.Fatal(err)
		}
		i++
	}
	for range pages {
		add()
	}
	b.ReportAllocs()
	for b.Loop() {
		add()
	}
	if got := m.frontier.Len(); got != pages {
		b.Errorf("got %d URIs, want %d", got, pages)
	}
}
