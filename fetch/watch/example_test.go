package watch_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"example.org/deref/fetch"
	"example.org/deref/fetch/watch"
	"example.org/deref/schemes/file"
	"example.org/deref/uri"
)

func Example() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	name := filepath.Join(dir, "news.txt")
	os.WriteFile(name, []byte("old"), 0o600)
	u := uri.MustParse("file://" + filepath.ToSlash(name))

	client := fetch.New(file.Scheme())
	defer client.Close()
	w := &watch.Watcher{Client: client}
	var last *watch.Record
	for _, text := range []string{"old", "newer"} {
		os.WriteFile(name, []byte(text), 0o600)
		r, err := w.Check(context.Background(), u, last)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(r.Verdict)
		last = &r.Record
	}
	// Output:
	// first
	// changed
}
