package gophertest_test

import (
	"bufio"
	"fmt"
	"net"
	"testing/fstest"

	"example.org/deref/schemes/gopher/gophertest"
)

// The empty selector is the menu of the top directory. Host and Port choose the address in its items.
func ExampleNewServer() {
	site := fstest.MapFS{"about.txt": {Data: []byte("About.\n")}, "harbor.gif": {Data: []byte("GIF89a")}}
	srv := gophertest.NewServer(site, &gophertest.Options{Host: "gopher.example", Port: 70})
	defer srv.Close()
	conn, err := net.Dial("tcp", srv.Addr)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer conn.Close()
	fmt.Fprint(conn, "\r\n")
	for in := bufio.NewScanner(conn); in.Scan(); {
		fmt.Printf("%q\n", in.Text())
	}
	// Output:
	// "0about.txt\t/about.txt\tgopher.example\t70"
	// "gharbor.gif\t/harbor.gif\tgopher.example\t70"
	// "."
}
