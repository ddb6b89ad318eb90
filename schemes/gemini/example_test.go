package gemini_test

import (
	"context"
	"crypto/tls"
	"fmt"
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
