package rlogin_test

import (
	"context"
	"fmt"
	"io"
	"testing/fstest"

	"example.org/deref/fetch"
	"example.org/deref/schemes/rlogin"
	"example.org/deref/schemes/rlogin/rlogintest"
	"example.org/deref/uri"
)

// A session has no document but its first screen. Its end reports that the host waits for input.
func ExampleScheme() {
	srv := rlogintest.NewServer(fstest.MapFS{"motd": {Data: []byte("Harbor computer\n")}}, &rlogintest.Options{Screen: "motd"})
	defer srv.Close()
	c := fetch.New(rlogin.Scheme())
	defer c.Close()
	d, err := c.Get(context.Background(), uri.MustParse("rlogin://ann@"+srv.Addr), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer d.Body.Close()
	b, err := io.ReadAll(d.Body)
	fmt.Printf("%q\n%s\n", b, fetch.KindOf(err))
	// Output:
	// "Harbor computer\r\nlab> "
	// interactive
}
