package csotest_test

import (
	"bufio"
	"fmt"
	"net"
	"testing/fstest"

	"example.org/deref/schemes/cso/csotest"
)

// A client sends two lines. "return" selects the fields.
func ExampleNewServer() {
	srv := csotest.NewServer(fstest.MapFS{"ann-lee.txt": {Data: []byte("Harbor office\n")}}, nil)
	defer srv.Close()
	conn, err := net.Dial("tcp", srv.Addr)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer conn.Close()
	fmt.Fprint(conn, "query ann return all\r\nquit\r\n")
	for in := bufio.NewScanner(conn); in.Scan(); {
		fmt.Println(in.Text())
	}
	// Output:
	// 102:There were 1 matches to your request.
	// -200:1:       alias: ann-lee.txt
	// -200:1:        name: ann lee
	// -200:1:        text: Harbor office
	// 200:Ok.
	// 203:Bye, bye
}
