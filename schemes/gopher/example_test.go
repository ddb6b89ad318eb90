package gopher_test

import (
	"context"
	"fmt"
	"testing/fstest"

	"example.org/deref/fetch"
	"example.org/deref/schemes/gopher"
	"example.org/deref/schemes/gopher/gophertest"
	"example.org/deref/uri"
)

// A menu has entries, whose kinds come from the item types. Search words go after the question mark.
func ExampleSchemes() {
	srv := gophertest.NewServer(fstest.MapFS{
		"about.txt":      {Data: []byte("About this harbor.\n")},
		"pub/tides.txt":  {Data: []byte("High water at 06:12.\n")},
		"pub/harbor.gif": {Data: []byte("GIF89a")},
	}, nil)
	defer srv.Close()
	c := fetch.New(gopher.Schemes()...)
	defer c.Close()
	for _, path := range []string{"/1/", "/1/pub", "/7/search?water"} {
		fmt.Println(path)
		for e, err := range c.Entries(context.Background(), uri.MustParse(srv.URL+path), nil) {
			fmt.Println("  ", e.Kind, e.URI.Path(), err)
		}
	}
	// Output:
	// /1/
	//    file /0/about.txt <nil>
	//    menu /1/pub <nil>
	// /1/pub
	//    file /g/pub/harbor.gif <nil>
	//    file /0/pub/tides.txt <nil>
	// /7/search?water
	//    file /0/pub/tides.txt <nil>
}
