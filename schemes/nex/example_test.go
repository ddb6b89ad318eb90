package nex_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"testing/fstest"

	"example.org/deref/fetch"
	"example.org/deref/schemes/nex"
	"example.org/deref/schemes/nex/nextest"
	"example.org/deref/uri"
)

// A path that ends in a slash is a directory, whose links are entries.
func ExampleScheme() {
	srv := nextest.NewServer(fstest.MapFS{"info/about.txt": {Data: []byte("About this server.\n")}}, nil)
	defer srv.Close()
	c := fetch.New(nex.Scheme())
	defer c.Close()
	for e, err := range c.Entries(context.Background(), uri.MustParse(srv.URL+"/info/"), nil) {
		if err != nil {
			fmt.Println(err)
			return
		}
		d, err := c.Get(context.Background(), e.URI, nil)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(e.URI.Path(), d.Type)
		io.Copy(os.Stdout, d.Body)
		d.Body.Close()
	}
	// Output:
	// /info/about.txt text/plain
	// About this server.
}
