package data_test

import (
	"context"
	"fmt"
	"io"
	"os"

	"example.org/deref/fetch"
	"example.org/deref/schemes/data"
	"example.org/deref/uri"
)

// The URI contains the document and its type. Nothing is contacted.
func ExampleScheme() {
	c := fetch.New(data.Scheme())
	defer c.Close()
	d, err := c.Get(context.Background(), uri.MustParse("data:text/csv;base64,aGlnaCwwNjoxMgpsb3csMTI6MjQK"), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer d.Body.Close()
	fmt.Println(d.Type)
	io.Copy(os.Stdout, d.Body)
	// Output:
	// text/csv
	// high,06:12
	// low,12:24
}
