package spartan_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"testing/fstest"

	"example.org/deref/fetch"
	"example.org/deref/schemes/spartan"
	"example.org/deref/schemes/spartan/spartantest"
	"example.org/deref/uri"
)

// The words of a search are sent as data after the request line. This server returns them.
func ExampleScheme() {
	srv := spartantest.NewServer(fstest.MapFS{"index.gmi": {Data: []byte("# Tides\n")}}, nil)
	defer srv.Close()
	c := fetch.New(spartan.Scheme())
	defer c.Close()
	d, err := c.Get(context.Background(), uri.MustParse(srv.URL+"/echo"), &fetch.Options{Search: []string{"spring", "tide"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer d.Body.Close()
	fmt.Println(d.Type)
	io.Copy(os.Stdout, d.Body)
	// Output:
	// text/plain
	// spring tide
}
