package geminitest_test

import (
	"crypto/tls"
	"fmt"
	"io"
	"strings"
	"testing/fstest"

	"example.org/deref/schemes/gemini/geminitest"
)

// A directory without a slash at its end is a redirect. The client trusts the server's own certificate by Roots.
func ExampleNewServer() {
	srv := geminitest.NewServer(fstest.MapFS{"tides/index.gmi": {Data: []byte("# Tides\n")}}, nil)
	defer srv.Close()
	for _, path := range []string{"/tides", "/tides/"} {
		conn, err := tls.Dial("tcp", srv.Addr, &tls.Config{RootCAs: srv.Roots()})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Fprintf(conn, "gemini://%s%s\r\n", srv.Addr, path)
		b, err := io.ReadAll(conn)
		conn.Close()
		fmt.Printf("%q %v\n", strings.ReplaceAll(string(b), srv.Addr, "ADDR"), err)
	}
	// Output:
	// "31 /tides/\r\n" <nil>
	// "20 text/gemini\r\n# Tides\n" <nil>
}
