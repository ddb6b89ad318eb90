package tn3270_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"testing/fstest"

	"example.org/deref/fetch"
	"example.org/deref/schemes/tn3270"
	"example.org/deref/schemes/tn3270/tn3270test"
	"example.org/deref/uri"
)

// The first screen of a 3270 host is the document, as text. Its end reports that the host waits for input: here, after a tenth of a second of silence.
func ExampleScheme() {
	srv := tn3270test.NewServer(fstest.MapFS{"motd": {Data: []byte("Harbor computer\n")}}, &tn3270test.Options{Screen: "motd"})
	defer srv.Close()
	c := fetch.New(tn3270.Scheme())
	defer c.Close()
	d, err := c.Get(context.Background(), uri.MustParse(srv.URL), &fetch.Options{Set: map[string][]string{"tn3270.idle": {"0.1"}}})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer d.Body.Close()
	b, err := io.ReadAll(d.Body)
	fmt.Println(strings.Join(strings.Fields(string(b)), " "))
	fmt.Println(fetch.KindOf(err))
	// Output:
	// Harbor computer User ==> Password ==> Enter goes on, PF3 leaves
	// interactive
}

// The host rejects the device of TN3270E, after which a client must continue without it. FirstScreen returns what it then shows.
func Example_tn3270test() {
	motd := []byte("High water at 06:12.\n")
	srv := tn3270test.NewServer(fstest.MapFS{"motd": {Data: motd}}, &tn3270test.Options{Screen: "motd", Reject: 4})
	defer srv.Close()
	c := fetch.New(tn3270.Scheme())
	defer c.Close()
	d, err := c.Get(context.Background(), uri.MustParse(srv.URL), &fetch.Options{Set: map[string][]string{"tn3270.idle": {"0.1"}}})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer d.Body.Close()
	screen, err := io.ReadAll(d.Body)
	fmt.Println(bytes.Equal(screen, tn3270test.FirstScreen(motd)), fetch.KindOf(err))
	// Output: true interactive
}
