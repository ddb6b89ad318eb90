package cso_test

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"testing/fstest"

	"example.org/deref/fetch"
	"example.org/deref/schemes/cso"
	"example.org/deref/schemes/cso/csotest"
	"example.org/deref/uri"
)

// Each person of a phone book is an entry. Its attributes are the fields of the person.
func ExampleScheme() {
	srv := csotest.NewServer(fstest.MapFS{"ann-lee.txt": {Data: []byte("Harbor office\n")}, "bob-lee.txt": {Data: []byte("Library\n")}}, nil)
	defer srv.Close()
	c := fetch.New(cso.Scheme())
	defer c.Close()
	for e, err := range c.Entries(context.Background(), uri.MustParse(srv.URL+"/lee%20return%20name%20text"), nil) {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(e.Attr["name"], e.Attr["text"])
	}
	// Output:
	// [ann lee] [Harbor office]
	// [bob lee] [Library]
}

// A client sends two lines. "return" selects the fields.
func Example_csotest() {
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
