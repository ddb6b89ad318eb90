package prosperotest_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"testing/fstest"

	"example.org/deref/fetch"
	"example.org/deref/schemes/prospero"
	"example.org/deref/schemes/prospero/prosperotest"
	"example.org/deref/uri"
)

// The transcript shows what a client has requested.
func ExampleNewServer() {
	srv := prosperotest.NewServer(fstest.MapFS{"tides.txt": {Data: []byte("High water.\n")}}, nil)
	defer srv.Close()
	c := fetch.New(prospero.Scheme())
	defer c.Close()
	d, err := c.Get(context.Background(), uri.MustParse(srv.URL+"/AFTP/tides.txt"), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	io.Copy(os.Stdout, d.Body)
	d.Body.Close()
	for _, line := range srv.Transcript() {
		fmt.Println(line)
	}
	// Output:
	// High water.
	// GET-OBJECT-INFO ACCESS-METHOD+SIZE+UNIX-MODES ASCII AFTP/tides.txt 0
	// GET-OBJECT-INFO CONTENTS ASCII AFTP/tides.txt 0
}
