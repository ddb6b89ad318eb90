package schemes_test

import (
	"context"
	"fmt"
	"io"
	"os"

	"example.org/deref/fetch"
	"example.org/deref/schemes"
	"example.org/deref/uri"
)

// The program in README.md.
func Example() {
	c := fetch.New(schemes.All(nil)...)
	defer c.Close()
	d, err := c.Get(context.Background(), uri.MustParse("data:text/plain,hello%20world"), nil)
	if err != nil {
		fmt.Println(fetch.KindOf(err), err)
		return
	}
	defer d.Body.Close()
	io.Copy(os.Stdout, d.Body) // a nil error means the whole document
	// Output: hello world
}
