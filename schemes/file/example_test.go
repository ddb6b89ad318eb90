package file_test

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"path"
	"path/filepath"

	"example.org/deref/fetch"
	"example.org/deref/schemes/file"
	"example.org/deref/uri"
)

// A directory is a listing. Its entries have the URIs of the files.
func ExampleScheme() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	for name, text := range map[string]string{"a.txt": "first\n", "b.html": "<p>second"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			fmt.Println(err)
			return
		}
	}
	c := fetch.New(file.Scheme())
	defer c.Close()
	u := uri.MustParse((&url.URL{Scheme: "file", Path: path.Join("/", filepath.ToSlash(dir)) + "/"}).String())
	for e, err := range c.Entries(context.Background(), u, nil) {
		fmt.Println(u.Relativize(e.URI), e.Type, e.Size, err)
	}
	// Output:
	// a.txt text/plain 6 <nil>
	// b.html text/html 9 <nil>
}
