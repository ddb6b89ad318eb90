package whoistest_test

import (
	"bufio"
	"fmt"
	"net"
	"testing/fstest"

	"example.org/deref/schemes/whois/whoistest"
)

// The same files are records of whois++, which has templates and status codes.
func ExampleNewServer() {
	srv := whoistest.NewServer(fstest.MapFS{"site.example": {Data: []byte("owner: Ann Lee\n")}}, &whoistest.Options{Templates: true})
	defer srv.Close()
	conn, err := net.Dial("tcp", srv.Addr)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer conn.Close()
	fmt.Fprint(conn, "site.example\r\n")
	for in := bufio.NewScanner(conn); in.Scan(); {
		fmt.Println(in.Text())
	}
	// Output:
	// % 220-whoistest ready
	// % 200 Command okay
	// # FULL TEXT WHOISTEST site.example
	//  Name: site.example
	//  text: owner: Ann Lee
	// # END
	// % 226 Transaction complete
	// % 203 Bye
}
