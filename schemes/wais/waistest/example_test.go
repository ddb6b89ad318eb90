package waistest_test

import (
	"context"
	"fmt"
	"testing/fstest"

	"example.org/deref/fetch"
	"example.org/deref/schemes/wais"
	"example.org/deref/schemes/wais/waistest"
	"example.org/deref/uri"
)

// Lines makes a document of every line. The transcript shows what a client has searched for.
func ExampleNewServer() {
	site := fstest.MapFS{"tides.txt": {Data: []byte("high 06:12\nlow 12:24\nhigh 18:37\n")}}
	srv := waistest.NewServer(site, &waistest.Options{Databases: []waistest.Database{{Name: "tides", Lines: true}}})
	defer srv.Close()
	c := fetch.New(wais.Scheme())
	defer c.Close()
	for e, err := range c.Entries(context.Background(), uri.MustParse(srv.URL+"/tides?high"), nil) {
		fmt.Println(e.Title, err)
	}
	for _, line := range srv.Transcript() {
		fmt.Println(line)
	}
	// Output:
	// high 06:12 <nil>
	// high 18:37 <nil>
	// search tides high
}
