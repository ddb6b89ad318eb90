package gemini_test

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"strings"
	"testing/fstest"

	"example.org/deref/fetch"
	"example.org/deref/schemes/gemini"
	"example.org/deref/schemes/gemini/geminitest"
	"example.org/deref/uri"
)

// The links of a gemtext page are entries. The Client must trust the server's own certificate.
func ExampleScheme() {
	srv := geminitest.NewServer(fstest.MapFS{"index.gmi": {Data: []byte("# Tides\n=> today.txt Today\n=> /moon/ The Moon\n")}}, nil)
	defer srv.Close()
	c := fetch.New(gemini.Scheme())
	c.TLS = &tls.Config{RootCAs: srv.Roots()}
	defer c.Close()
	u := uri.MustParse(srv.URL + "/")
	for e, err := range c.Entries(context.Background(), u, nil) {
		fmt.Println(e.Kind, u.Relativize(e.URI), e.Title, err)
	}
	// Output:
	// text  # Tides <nil>
	// link today.txt Today <nil>
	// link moon/ The Moon <nil>
}

// A directory without a slash at its end is a redirect. The client trusts the server's own certificate by Roots.
func Example_geminitest() {
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
