package gateway_test

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http/httptest"
	"os"

	"example.org/deref/fetch"
	"example.org/deref/fetch/gateway"
	"example.org/deref/schemes"
	"example.org/deref/uri"
)

// A gateway for other machines should connect only to public addresses.
func Example() {
	c := fetch.New(schemes.All(nil)...)
	defer c.Close()
	c.Policy.DenyPrivate = true
	g := gateway.New(c, &gateway.Config{
		Hosts: []string{"gateway.example"},
		Log:   slog.New(slog.NewJSONHandler(os.Stderr, nil)),
	})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel() // end at once: this is an example
	fmt.Println(gateway.Serve(ctx, l, g))
	// Output: <nil>
}

func ExamplePath() {
	fmt.Println(gateway.Path(uri.MustParse("gopher://gopher.example/1/about")))
	fmt.Println(gateway.Path(uri.MustParse("news:comp.infosystems.www")))
	// Output:
	// /gopher/gopher.example/1/about
	// /news:comp.infosystems.www
}

func ExampleNew() {
	c := fetch.New(schemes.All(nil)...)
	defer c.Close()
	w := httptest.NewRecorder()
	r := httptest.NewRequest("GET", "/finger/localhost:79/ann", nil)
	r.Host = "rebound.example" // not a name of this gateway
	gateway.New(c, nil).ServeHTTP(w, r)
	fmt.Println(w.Code, w.Body)
	// Output: 421 not the name of this gateway
}
