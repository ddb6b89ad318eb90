package fragment_test

import (
	"context"
	"fmt"
	"io"
	"os"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fragment"
	"example.org/deref/schemes/data"
	"example.org/deref/uri"
)

// The fragment of a text selects lines, counted from 0 (RFC 5147).
func ExampleCut() {
	c := fetch.New(data.Scheme())
	defer c.Close()
	d, err := c.Get(context.Background(), uri.MustParse("data:text/plain,one%0Atwo%0Athree%0A#line=1,2"), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer d.Body.Close()
	if err := fragment.Cut(d); err != nil {
		fmt.Println(err)
		return
	}
	io.Copy(os.Stdout, d.Body)
	// Output: two
}
