package fetchtest_test

import (
	"context"
	"fmt"
	"io"
	"strings"
	"testing/fstest"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fetchtest"
	"example.org/deref/schemes/gopher"
	"example.org/deref/schemes/gopher/gophertest"
	"example.org/deref/uri"
)

// A server that breaks off: what a client makes of it is an error of the right kind, not a short document.
func ExampleNewProxy() {
	srv := gophertest.NewServer(fstest.MapFS{"long.txt": {Data: []byte(strings.Repeat("a line\n", 1000))}}, nil)
	defer srv.Close()
	p, err := fetchtest.NewProxy(srv.Addr, fetchtest.Faults{CutAt: 500, Reset: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer p.Close()
	c := fetch.New(gopher.Schemes()...)
	defer c.Close()
	d, err := c.Get(context.Background(), uri.MustParse("gopher://"+p.Addr+"/0/long.txt"), nil)
	if err == nil {
		_, err = io.Copy(io.Discard, d.Body)
		d.Body.Close()
	}
	fmt.Println(fetch.KindOf(err) == fetch.ErrTruncated || fetch.KindOf(err) == fetch.ErrConnection)
	// Output: true
}
