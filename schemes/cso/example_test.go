package cso_test

import (
	"context"
	"fmt"
	"testing/fstest"

	"example.org/deref/fetch"
	"example.org/deref/schemes/cso"
	"example.org/deref/schemes/cso/csotest"
	"example.org/deref/uri"
)

// Each person of a phone book is an entry. Its attributes are the fields of the person.
func ExampleScheme() {
	srv := csotest.NewServer(fstest.MapFS{"ann-lee.txt": {Data: []byte("Harbor office\n")}, "bob-lee.txt": {Data: []byte("Library\n")}}, nil)
	defer srv.Close()
	c := fetch.New(cso.Scheme())
	defer c.Close()
	for e, err := range c.Entries(context.Background(), uri.MustParse(srv.URL+"/lee%20return%20name%20text"), nil) {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(e.Attr["name"], e.Attr["text"])
	}
	// Output:
	// [ann lee] [Harbor office]
	// [bob lee] [Library]
}
