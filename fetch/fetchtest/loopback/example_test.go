package loopback_test

import (
	"fmt"
	"io"
	"net"

	"example.org/deref/fetch/fetchtest/loopback"
)

// A server of a protocol in which the client sends a name and the server responds with a greeting.
func ExampleServe() {
	s, err := loopback.Serve("hello", "", 0, func(c *loopback.Conn) {
		if name, err := c.Line(); err == nil {
			fmt.Fprintf(c, "Hello, %s!\r\n", name)
		}
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()

	c, err := net.Dial("tcp", s.Addr)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Fprintf(c, "Alice\r\n")
	response, err := io.ReadAll(c)
	c.Close()
	fmt.Printf("%q %v %q\n", response, err, s.Transcript())
	// Output: "Hello, Alice!\r\n" <nil> ["Alice"]
}
