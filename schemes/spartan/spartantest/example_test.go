package spartantest_test

import (
	"bufio"
	"fmt"
	"net"
	"testing/fstest"

	"example.org/deref/schemes/spartan/spartantest"
)

// Reply sets any response, such as one that clients rarely see.
func ExampleNewServer() {
	srv := spartantest.NewServer(fstest.MapFS{}, &spartantest.Options{Reply: map[string]string{"/busy": "5 try again at low water\r\n"}})
	defer srv.Close()
	conn, err := net.Dial("tcp", srv.Addr)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer conn.Close()
	fmt.Fprint(conn, "harbor.example /busy 0\r\n")
	for in := bufio.NewScanner(conn); in.Scan(); {
		fmt.Println(in.Text())
	}
	// Output:
	// 5 try again at low water
}
