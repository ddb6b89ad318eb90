package ftp_test

import (
	"context"
	"fmt"
	"io"
	"testing/fstest"

	"example.org/deref/fetch"
	"example.org/deref/schemes/ftp"
	"example.org/deref/schemes/ftp/ftptest"
	"example.org/deref/uri"
)

// A Client retrieves a file from a server on the loopback interface.
func ExampleSchemes() {
	srv := ftptest.NewServer(fstest.MapFS{"pub/motd.txt": {Data: []byte("Welcome.\n")}}, nil)
	defer srv.Close()
	c := fetch.New(ftp.Schemes(nil)...)
	defer c.Close()

	d, err := c.Get(context.Background(), uri.MustParse(srv.URL+"/pub/motd.txt"), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer d.Body.Close()
	b, err := io.ReadAll(d.Body)
	fmt.Printf("%s, %d bytes, %v: %s", d.Type, d.Size, err, b)
	// Output: text/plain, 9 bytes, <nil>: Welcome.
}
