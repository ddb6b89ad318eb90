package mirror

import (
	"fmt"
	"os"
	"testing"
)

// BenchmarkByURI looks up the records of a site of 500 pages, as each link of each page does.
func BenchmarkByURI(b *testing.B) {
	root, err := os.OpenRoot(b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	defer root.Close()
	m, err := openManifest(root, false)
	if err != nil {
		b.Fatal(err)
	}
	defer m.close()
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
