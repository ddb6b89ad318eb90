package rlogintest_test

import (
	"bufio"
	"fmt"
	"net"
	"testing/fstest"

	"example.org/deref/schemes/rlogin/rlogintest"
)

// A client sends four strings that end in NUL. The host replies with a NUL, and then with its screen and prompt.
func ExampleNewServer() {
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
