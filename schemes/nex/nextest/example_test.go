package nextest_test

import (
	"bufio"
	"fmt"
	"net"
	"testing/fstest"

	"example.org/deref/schemes/nex/nextest"
)

// A directory is the list of its files.
func ExampleNewServer() {
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
