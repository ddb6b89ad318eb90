package cache_test

import (
	"context"
	"fmt"
	"io"
	nethttp "net/http"
	"net/http/httptest"
	"os"

	"example.org/deref/fetch"
	"example.org/deref/schemes/http"
	"example.org/deref/schemes/http/cache"
	"example.org/deref/uri"
)

// The first request contacts the server. The second finds the response in the cache.
func ExampleOpen() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	store, err := cache.Open(dir, cache.DefaultSize)
	if err != nil {
		fmt.Println(err)
		return
	}
	srv := httptest.NewServer(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, _ *nethttp.Request) {
		fmt.Println("the server responds")
		w.Header().Set("Cache-Control", "max-age=60")
		fmt.Fprint(w, "high water 06:12")
	}))
	defer srv.Close()
	c := fetch.New(http.Schemes(&http.Config{Cache: store})...)
	defer c.Close()

	for range 2 {
		d, err := c.Get(context.Background(), uri.MustParse(srv.URL+"/tides"), nil)
		if err != nil {
			fmt.Println(err)
			return
		}
		b, err := io.ReadAll(d.Body)
		d.Body.Close()
		fmt.Printf("%s %v\n", b, err)
	}
	// Output:
	// the server responds
	// high water 06:12 <nil>
	// high water 06:12 <nil>
}
