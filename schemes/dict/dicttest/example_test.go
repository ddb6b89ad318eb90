package dicttest_test

import (
	"bufio"
	"fmt"
	"net"
	"testing/fstest"

	"example.org/deref/schemes/dict/dicttest"
)

// A directory is a database, and the name of a file without its suffix a word. The example skips the greeting.
func ExampleNewServer() {
	srv := dicttest.NewServer(fstest.MapFS{"sea/ebb.txt": {Data: []byte("the tide as it goes out\n")}}, nil)
	defer srv.Close()
	conn, err := net.Dial("tcp", srv.Addr)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer conn.Close()
	fmt.Fprint(conn, "MATCH sea prefix e\r\nQUIT\r\n")
	in := bufio.NewScanner(conn)
	in.Scan() // 220
	for in.Scan() {
		fmt.Println(in.Text())
	}
	// Output:
	// 152 1 matches found
	// sea ebb
	// .
	// 250 ok
	// 221 bye
}
