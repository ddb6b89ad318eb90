package finger_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"testing/fstest"

	"example.org/deref/fetch"
	"example.org/deref/schemes/finger"
	"example.org/deref/schemes/finger/fingertest"
	"example.org/deref/uri"
)

// An empty path asks who is logged in. A name asks about one user, and /W for the long form.
func ExampleScheme() {
	srv := fingertest.NewServer(fstest.MapFS{"ann": {Data: []byte("Plan: sail at high water")}}, nil)
	defer srv.Close()
	c := fetch.New(finger.Scheme())
	defer c.Close()
	for _, path := range []string{"/", "/ann", "/%2FW%20ann"} {
		d, err := c.Get(context.Background(), uri.MustParse(srv.URL+path), nil)
		if err != nil {
			fmt.Println(err)
			return
		}
		b, err := io.ReadAll(d.Body)
		d.Body.Close()
		fmt.Printf("%s: %q %v\n", path, b, err)
	}
	// Output:
	// /: "Login\r\nann\r\n" <nil>
	// /ann: "Plan: sail at high water" <nil>
	// /%2FW%20ann: "Login: ann\r\nPlan: sail at high water" <nil>
}

// The files are the users. /W requests the long form.
func Example_fingertest() {
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
