package spartan_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"testing/fstest"

	"example.org/deref/fetch"
	"example.org/deref/schemes/spartan"
	"example.org/deref/schemes/spartan/spartantest"
	"example.org/deref/uri"
)

// The words of a search are sent as data after the request line. This server returns them.
func ExampleScheme() {
	srv := spartantest.NewServer(fstest.MapFS{"index.gmi": {Data: []byte("# Tides\n")}}, nil)
	defer srv.Close()
	c := fetch.New(spartan.Scheme())
	defer c.Close()
	d, err := c.Get(context.Background(), uri.MustParse(srv.URL+"/echo"), &fetch.Options{Search: []string{"spring", "tide"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer d.Body.Close()
	fmt.Println(d.Type)
	io.Copy(os.Stdout, d.Body)
	// Output:
	// text/plain
	// spring tide
}

// Reply sets any response, such as one that clients rarely see.
func Example_spartantest() {
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
