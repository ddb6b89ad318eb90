package fsview_test

import (
	"context"
	"fmt"
	"io/fs"
	"testing/fstest"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fsview"
	"example.org/deref/schemes/gopher"
	"example.org/deref/schemes/gopher/gophertest"
	"example.org/deref/uri"
)

func ExampleNew() {
	srv := gophertest.NewServer(fstest.MapFS{"README": {Data: []byte("hello\n")}, "dir/x.gif": {Data: []byte("GIF89a")}}, nil)
	defer srv.Close()
	c := fetch.New(gopher.Schemes()...)
	defer c.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	fsys, err := fsview.New(ctx, c, uri.MustParse(srv.URL+"/1/"), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fs.WalkDir(fsys, ".", func(path string, _ fs.DirEntry, err error) error {
		fmt.Println(path, err)
		return err
	})
	// Output:
	// . <nil>
	// README <nil>
	// dir <nil>
	// dir/x.gif <nil>
}
