package tofu_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing/fstest"

	"example.org/deref/fetch"
	"example.org/deref/fetch/tofu"
	"example.org/deref/schemes/gemini"
	"example.org/deref/schemes/gemini/geminitest"
	"example.org/deref/uri"
)

func ExampleOpen() {
	srv := geminitest.NewServer(fstest.MapFS{"a.txt": {Data: []byte("hello")}}, nil) // it signs its own certificate
	defer srv.Close()
	dir, err := os.MkdirTemp("", "tofu")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	known, err := tofu.Open(filepath.Join(dir, "known-hosts"))
	if err != nil {
		fmt.Println(err)
		return
	}
	c := fetch.New(gemini.Scheme())
	defer c.Close()
	u := uri.MustParse(srv.URL + "/a.txt")
	_, err = fetch.New(gemini.Scheme()).Get(context.Background(), u, nil)
	fmt.Println(fetch.KindOf(err))
	c.FirstUse = known.Check
	d, err := c.Get(context.Background(), u, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer d.Body.Close()
	io.Copy(os.Stdout, d.Body)
	// Output:
	// tls
	// hello
}
