//go:build unix

package external_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"example.org/deref/fetch"
	"example.org/deref/schemes/external"
	"example.org/deref/uri"
)

// A shell script is the handler of x-hello.
func ExampleSchemes() {
	program, err := filepath.Abs("testdata/deref-scheme-x-hello")
	if err != nil {
		fmt.Println(err)
		return
	}
	c := fetch.New(external.Schemes(&external.Config{Programs: []external.Program{{Scheme: "x-hello", Path: program}}})...)
	defer c.Close()
	d, err := c.Get(context.Background(), uri.MustParse("x-hello://world"), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer d.Body.Close()
	fmt.Println(d.Type)
	io.Copy(os.Stdout, d.Body)
	// Output:
	// text/plain
	// hello, world
}
