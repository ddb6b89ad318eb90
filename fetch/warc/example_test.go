package warc_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing/fstest"

	"example.org/deref/fetch"
	"example.org/deref/fetch/warc"
	"example.org/deref/schemes/gopher"
	"example.org/deref/schemes/gopher/gophertest"
	"example.org/deref/uri"
)

// A document is archived, and dereferenced again when its server is gone.
func Example() {
	dir, err := os.MkdirTemp("", "warc")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	name := filepath.Join(dir, "hole.warc.gz")
	s, err := gophertest.Listen(fstest.MapFS{"about.txt": {Data: []byte("All about us.\n")}}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	about := uri.MustParse(s.URL + "/0/about.txt")

	w, err := warc.Create(name, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	c := fetch.New(gopher.Schemes()...)
	c.Recorder = warc.NewRecorder(w)
	show(c, about)
	c.Close()
	fmt.Println(w.Close())
	s.Close()

	a, err := warc.OpenArchive(gopher.Schemes(), name)
	if err != nil {
		fmt.Println(err)
		return
	}
	show(fetch.New(a.Schemes()...), about)
	// Output:
	// "All about us.\r\n" <nil>
	// <nil>
	// "All about us.\r\n" <nil>
}

func show(c *fetch.Client, u uri.URI) {
	d, err := c.Get(context.Background(), u, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer d.Body.Close()
	b, err := io.ReadAll(d.Body)
	fmt.Printf("%q %v\n", b, err)
}

// A Reader goes through any archive record by record.
func ExampleReader() {
	f, err := os.Open("testdata/wget-ftp.warc.gz")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer f.Close()
	for r := warc.NewReader(f); ; {
		rec, err := r.Next()
		if err == io.EOF {
			return
		}
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(rec.Type(), rec.Size, rec.MediaType())
	}
	// Output:
	// warcinfo 273 application/warc-fields
	// resource 443 application/octet-stream
	// metadata 48 text/plain
	// resource 93 text/plain
	// resource 0 text/plain
}
