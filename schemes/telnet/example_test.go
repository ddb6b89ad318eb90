package telnet_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"strings"
	"testing/fstest"

	"example.org/deref/fetch"
	"example.org/deref/schemes/telnet"
	"example.org/deref/schemes/telnet/telnettest"
	"example.org/deref/uri"
)

// Attach opens a session. The terminal here types one command and leaves.
func ExampleSchemes() {
	srv := telnettest.NewServer(fstest.MapFS{"tides.txt": {Data: []byte("High water at 06:12.\n")}}, nil)
	defer srv.Close()
	c := fetch.New(telnet.Schemes()...)
	defer c.Close()
	keys, typed := io.Pipe()
	go fmt.Fprint(typed, "show tides.txt\rquit\r")
	var screen strings.Builder
	t := &fetch.Terminal{In: keys, Out: &screen, Type: "xterm"}
	if err := c.Attach(context.Background(), uri.MustParse(srv.URL), t, nil); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(strings.Contains(screen.String(), "High water at 06:12."))
	fmt.Printf("%q\n", srv.Transcript())
	// Output:
	// true
	// ["show tides.txt" "quit"]
}

// A host with Plain negotiates no options, so that a client of a few lines can open a session.
func Example_telnettest() {
	srv := telnettest.NewServer(fstest.MapFS{"motd": {Data: []byte("Welcome.\n")}}, &telnettest.Options{Plain: true})
	defer srv.Close()
	conn, err := net.Dial("tcp", srv.Addr)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer conn.Close()
	fmt.Fprint(conn, "show motd\r\nquit\r\n")
	b, err := io.ReadAll(conn)
	fmt.Printf("%q %v\n", b, err)
	fmt.Println(srv.Transcript())
	// Output:
	// "lab> Welcome.\r\nlab> Goodbye.\r\n" <nil>
	// [show motd quit]
}
