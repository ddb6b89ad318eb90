package fingertest_test

import (
	"bufio"
	"fmt"
	"net"
	"testing/fstest"

	"example.org/deref/schemes/finger/fingertest"
)

// The files are the users. /W requests the long form.
func ExampleNewServer() {
	srv := fingertest.NewServer(fstest.MapFS{"ann": {Data: []byte("Plan: sail at high water\n")}}, nil)
	defer srv.Close()
	conn, err := net.Dial("tcp", srv.Addr)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer conn.Close()
	fmt.Fprint(conn, "/W ann\r\n")
	for in := bufio.NewScanner(conn); in.Scan(); {
		fmt.Println(in.Text())
	}
	// Output:
	// Login: ann
	// Plan: sail at high water
}
