package fetch_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"os"
	"testing/fstest"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fetchtest/loopback"
	"example.org/deref/schemes/data"
	"example.org/deref/schemes/ftp"
	"example.org/deref/schemes/gopher"
	"example.org/deref/schemes/gopher/gophertest"
	"example.org/deref/uri"
)

// site is a gopher server on loopback with two texts.
func site() *loopback.Server {
	return gophertest.NewServer(fstest.MapFS{"about.txt": {Data: []byte("All about us.\n")}, "zoo.txt": {Data: []byte("Animals.\n")}}, nil)
}

// A document with a deadline. A nil error of io.Copy means that it is whole.
func ExampleClient_Get() {
	srv := site()
	defer srv.Close()
	c := fetch.New(gopher.Schemes()...)
	defer c.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	d, err := c.Get(ctx, uri.MustParse(srv.URL+"/0/about.txt"), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer d.Body.Close()
	fmt.Println(d.Type, "because of", d.TypeReason)
	io.Copy(os.Stdout, d.Body)
	// Output:
	// text/plain because of item type 0
	// All about us.
}

// The class of a failure is a Kind, anywhere in a chain of errors.
func ExampleKindOf() {
	srv := site()
	defer srv.Close()
	c := fetch.New(gopher.Schemes()...)
	defer c.Close()
	_, err := c.Get(context.Background(), uri.MustParse(srv.URL+"/0/nonesuch"), nil)
	fmt.Println(fetch.KindOf(err), errors.Is(err, fetch.ErrNotFound))
	_, err = c.Get(context.Background(), uri.MustParse(srv.URL+"/0/a%0D%0Ab"), nil)
	fmt.Println(fetch.KindOf(err))
	if e, ok := errors.AsType[*fetch.Error](err); ok {
		fmt.Println(e.Text)
	}
	// Output:
	// notfound true
	// refused-url
	// CR, LF or NUL in an argument of the request
}

// A plan lists the commands that would be sent. No server is contacted.
func ExampleClient_Plan() {
	c := fetch.New(ftp.Schemes(nil)...)
	p, err := c.Plan(uri.MustParse("ftp://ftp.example/a/b%20c/f.txt;type=a"), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(p.Addr)
	for _, s := range p.When("") {
		fmt.Println(s.Line())
	}
	// Output:
	// ftp.example:21
	// USER anonymous
	// PASS deref@
	// CWD a
	// CWD b c
	// TYPE A
	// EPSV
	// RETR f.txt
	// QUIT
}

// The entries of a menu, directory, group or search.
func ExampleClient_Entries() {
	srv := site()
	defer srv.Close()
	c := fetch.New(gopher.Schemes()...)
	defer c.Close()
	for e, err := range c.Entries(context.Background(), uri.MustParse(srv.URL+"/"), nil) {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(e.Kind, e.Title)
	}
	// Output:
	// file about.txt
	// file zoo.txt
}

// The conversation, as it happens.
func ExampleOptions_trace() {
	srv := site()
	defer srv.Close()
	c := fetch.New(gopher.Schemes()...)
	defer c.Close()
	said := map[byte]string{} // bytes arrive in pieces of any size
	o := &fetch.Options{Trace: func(e fetch.Event) { said[e.Dir] += string(e.Data) }}
	d, err := c.Get(context.Background(), uri.MustParse(srv.URL+"/0/zoo.txt"), o)
	if err != nil {
		fmt.Println(err)
		return
	}
	io.Copy(io.Discard, d.Body)
	d.Body.Close()
	fmt.Printf("C: %q\nS: %q\n", said[fetch.FromClient], said[fetch.FromServer])
	// Output:
	// C: "/zoo.txt\r\n"
	// S: "Animals.\r\n.\r\n"
}

// A client that contacts only the given networks.
func ExamplePolicy() {
	srv := site()
	defer srv.Close()
	c := fetch.New(append(gopher.Schemes(), data.Scheme())...)
	c.Policy = fetch.Policy{DenyPrivate: true, Allow: []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")}}
	defer c.Close()
	_, err := c.Get(context.Background(), uri.MustParse(srv.URL+"/"), nil)
	fmt.Println(fetch.KindOf(err))
	// Output: denied
}

// A new scheme needs a name and a Plan. This one lists four hours of the day.
func ExampleScheme() {
	run := func(context.Context, *fetch.Plan, *fetch.Env) (*fetch.Document, error) {
		return fetch.NewListing(func(yield func(fetch.Entry, error) bool) {
			for hour := 0; hour < 24; hour += 6 {
				if !yield(fetch.Entry{Title: fmt.Sprintf("%02d:00", hour), Kind: fetch.KindText, Size: -1}, nil) {
					return
				}
			}
		}), nil
	}
	plan := func(u uri.URI, _ *fetch.Options) (*fetch.Plan, error) {
		return &fetch.Plan{URI: u, Shape: fetch.ShapeListing, Run: run}, nil
	}
	hours := fetch.Scheme{Names: []string{"x-hours"}, Does: fetch.Does{Retrieves: true}, Plan: plan}
	c := fetch.New(hours)
	defer c.Close()
	for e, err := range c.Entries(context.Background(), uri.MustParse("x-hours:today"), nil) {
		fmt.Println(e.Title, err)
	}
	// Output:
	// 00:00 <nil>
	// 06:00 <nil>
	// 12:00 <nil>
	// 18:00 <nil>
}
