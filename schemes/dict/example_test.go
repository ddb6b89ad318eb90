package dict_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"testing/fstest"

	"example.org/deref/fetch"
	"example.org/deref/schemes/dict"
	"example.org/deref/schemes/dict/dicttest"
	"example.org/deref/uri"
)

// The URI names a word, a database (or * for all of them) and the number of a definition.
func ExampleScheme() {
	site := fstest.MapFS{
		"sea/ebb.txt":   {Data: []byte("the tide as it goes out\n")},
		"verbs/ebb.txt": {Data: []byte("to recede\n")},
	}
	srv := dicttest.NewServer(site, nil)
	defer srv.Close()
	c := fetch.New(dict.Scheme())
	defer c.Close()
	for _, path := range []string{"/d:ebb:verbs:1", "/d:ebb:*:1"} {
		d, err := c.Get(context.Background(), uri.MustParse(srv.URL+path), nil)
		if err != nil {
			fmt.Println(err)
			return
		}
		b, err := io.ReadAll(d.Body)
		d.Body.Close()
		fmt.Printf("%q %v\n", b, err)
	}
	// Output:
	// "to recede\r\n" <nil>
	// "the tide as it goes out\r\n" <nil>
}

// A directory is a database, and the name of a file without its suffix a word. The example skips the greeting.
func Example_dicttest() {
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
