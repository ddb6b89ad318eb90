package wais_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"testing/fstest"

	"example.org/deref/fetch"
	"example.org/deref/schemes/wais"
	"example.org/deref/schemes/wais/waistest"
	"example.org/deref/uri"
)

// A search returns headlines with scores. The URI of a headline retrieves the document.
func ExampleScheme() {
	srv := waistest.NewServer(fstest.MapFS{
		"moon.txt":  {Data: []byte("The Moon\nIt has no sea.\n")},
		"tides.txt": {Data: []byte("Reading a tide table\nThe tide of the day.\n")},
	}, nil)
	defer srv.Close()
	c := fetch.New(wais.Scheme())
	defer c.Close()
	for e, err := range c.Entries(context.Background(), uri.MustParse(srv.URL+"/site?tide"), nil) {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(e.Title, e.Attr["score"])
		d, err := c.Get(context.Background(), e.URI, nil)
		if err != nil {
			fmt.Println(err)
			return
		}
		io.Copy(os.Stdout, d.Body)
		d.Body.Close()
	}
	// Output:
	// Reading a tide table [1000]
	// Reading a tide table
	// The tide of the day.
}
