package nex_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
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

// A directory is the list of its files.
func Example_nextest() {
	srv := nextest.NewServer(fstest.MapFS{"info/about.txt": {Data: []byte("About.\n")}, "info/rules.txt": {Data: []byte("Be kind.\n")}}, nil)
	defer srv.Close()
	conn, err := net.Dial("tcp", srv.Addr)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer conn.Close()
	fmt.Fprint(conn, "info/\r\n")
	for in := bufio.NewScanner(conn); in.Scan(); {
		fmt.Println(in.Text())
	}
	// Output:
	// => ./about.txt about.txt
	// => ./rules.txt rules.txt
}
