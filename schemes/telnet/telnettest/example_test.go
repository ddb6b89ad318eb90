package telnettest_test

import (
	"fmt"
	"io"
	"net"
	"testing/fstest"

	"example.org/deref/schemes/telnet/telnettest"
)

// A host with Plain negotiates no options, so that a client of a few lines can open a session.
func ExampleNewServer() {
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
