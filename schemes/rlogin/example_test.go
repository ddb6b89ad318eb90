package rlogin_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"testing/fstest"

	"example.org/deref/fetch"
	"example.org/deref/schemes/rlogin"
	"example.org/deref/schemes/rlogin/rlogintest"
	"example.org/deref/uri"
)

// A session has no document but its first screen. Its end reports that the host waits for input: here, after a tenth of a second of silence.
func ExampleScheme() {
	srv := rlogintest.NewServer(fstest.MapFS{"motd": {Data: []byte("Harbor computer\n")}}, &rlogintest.Options{Screen: "motd"})
	defer srv.Close()
	c := fetch.New(rlogin.Scheme())
	defer c.Close()
	o := &fetch.Options{Set: map[string][]string{"rlogin.idle": {"0.1"}}}
	d, err := c.Get(context.Background(), uri.MustParse("rlogin://ann@"+srv.Addr), o)
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

// A client sends four strings that end in NUL. The host replies with a NUL, and then with its screen and prompt.
func Example_rlogintest() {
	srv := rlogintest.NewServer(fstest.MapFS{"motd": {Data: []byte("Welcome.\n")}}, &rlogintest.Options{Screen: "motd"})
	defer srv.Close()
	conn, err := net.Dial("tcp", srv.Addr)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer conn.Close()
	fmt.Fprint(conn, "\x00ann\x00ann\x00xterm/38400\x00")
	screen, err := bufio.NewReader(conn).ReadString('>')
	fmt.Printf("%q %v\n", screen, err)
	// Output: "\x00Welcome.\r\nlab>" <nil>
}
