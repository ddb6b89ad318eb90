package throttle_test

import (
	"context"
	"fmt"
	"io"
	"time"

	"example.org/deref/fetch/throttle"
	"example.org/deref/uri"
)

func ExampleNew() {
	client := throttle.New(zeros(200_000), 1_000_000) // around fetch.New(schemes.All(nil)...)
	began := time.Now()
	d, err := client.Get(context.Background(), uri.MustParse("test://example.org/x"), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer d.Body.Close()
	n, _ := io.Copy(io.Discard, d.Body)
	fmt.Println(n, time.Since(began) > 100*time.Millisecond)
	// Output: 200000 true
}
