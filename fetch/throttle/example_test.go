package throttle_test

import (
	"context"
	"fmt"
	"io"

	"example.org/deref/fetch/throttle"
	"example.org/deref/uri"
)

func ExampleNew() {
	client := throttle.New(zeros(200_000), 1_000_000) // around fetch.New(schemes.All(nil)...)
	d, err := client.Get(context.Background(), uri.MustParse("test://example.org/x"), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer d.Body.Close()
	n, err := io.Copy(io.Discard, d.Body) // takes a fifth of a second
	fmt.Println(n, err)
	// Output: 200000 <nil>
}
