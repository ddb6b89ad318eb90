package mirror_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing/fstest"

	"example.org/deref/fetch"
	"example.org/deref/fetch/mirror"
	"example.org/deref/schemes/ftp"
	"example.org/deref/schemes/ftp/ftptest"
	"example.org/deref/uri"
)

func Example() {
	srv := ftptest.NewServer(fstest.MapFS{"pub/README": {Data: []byte("read me\n")}, "pub/src/a.c": {Data: []byte("main(){}\n")}}, nil)
	defer srv.Close()
	dir, _ := os.MkdirTemp("", "mirror-")
	defer os.RemoveAll(dir)

	c := fetch.New(ftp.Schemes(nil)...)
	defer c.Close()
	sum, err := mirror.Run(context.Background(), c, uri.MustParse(srv.URL+"/pub/"), dir, &mirror.Options{
		Done: func(e mirror.Event) {
			if e.Did == mirror.Saved {
				fmt.Println(e.Path)
			}
		},
	})
	fmt.Println(sum.Saved, sum.Failed, err)

	// The second run finds that nothing has changed.
	sum, err = mirror.Run(context.Background(), c, uri.MustParse(srv.URL+"/pub/"), dir, nil)
	fmt.Println(sum.Saved, sum.Unchanged, err)

	manifest, _ := os.ReadFile(filepath.Join(dir, ".deref", "manifest.jsonl"))
	fmt.Println(strings.Contains(string(manifest), `"path":"src/a.c"`))
	// Unordered output:
	// README
	// src/a.c
	// 2 0 <nil>
	// 0 2 <nil>
	// true
}
