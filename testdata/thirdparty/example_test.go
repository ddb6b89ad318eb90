package memo_test

import (
	"context"
	"fmt"
	"io"
	"testing/fstest"

	"example.com/memo"
	"example.com/memo/memotest"
	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// A client of this scheme alone. append(schemes.All(nil), memo.Scheme()) has all others, too.
func Example() {
	srv := memotest.NewServer(fstest.MapFS{"today": {Data: []byte("Water the plants.\n")}})
	defer srv.Close()
	c := fetch.New(memo.Scheme())
	defer c.Close()
	d, err := c.Get(context.Background(), uri.MustParse(srv.URL+"/today"), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer d.Body.Close()
	b, err := io.ReadAll(d.Body)
	fmt.Printf("%s: %q %v\n", d.Type, b, err)
	// Output: text/plain: "Water the plants.\n" <nil>
}
