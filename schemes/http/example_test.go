package http_test

import (
	"context"
	"fmt"
	"io"
	nethttp "net/http"
	"net/http/httptest"
	"os"

	"example.org/deref/fetch"
	"example.org/deref/schemes/http"
	"example.org/deref/uri"
)

// The Client follows a redirect and records it in Via.
func ExampleSchemes() {
	mux := nethttp.NewServeMux()
	mux.Handle("/old", nethttp.RedirectHandler("/new", nethttp.StatusFound))
	mux.HandleFunc("/new", func(w nethttp.ResponseWriter, _ *nethttp.Request) { fmt.Fprint(w, "It has moved.") })
	srv := httptest.NewServer(mux)
	defer srv.Close()
	c := fetch.New(http.Schemes(nil)...)
	defer c.Close()

	d, err := c.Get(context.Background(), uri.MustParse(srv.URL+"/old"), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer d.Body.Close()
	fmt.Println(d.Status, d.URI.Path(), d.Via[0].Reason)
	io.Copy(os.Stdout, d.Body)
	// Output:
	// 200 /new 302 Found
	// It has moved.
}
