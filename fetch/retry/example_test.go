package retry_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/retry"
	"example.org/deref/uri"
)

func ExamplePolicy_Do() {
	policy := retry.Policy{Retries: 5, MaxTime: time.Minute, Delay: time.Millisecond}
	err := policy.Do(context.Background(), func(tried int) error {
		if tried < 2 {
			return fetch.Errorf(fetch.ErrConnect, "refused")
		}
		fmt.Println("try number", tried+1)
		return nil
	})
	fmt.Println(err)
	// Output:
	// try number 3
	// <nil>
}

// A Body continues after its connection broke, as long as the server's validator shows that the object is unchanged.
func ExampleNew() {
	server := &script{data: []byte("to be continued"), valid: fetch.Validator{Tag: "v1"}, turns: []turn{{after: 5, with: cut()}}}
	client := retry.New(server, retry.Policy{Retries: 1, Delay: time.Millisecond}) // around fetch.New(schemes.All(nil)...)
	d, err := client.Get(context.Background(), uri.MustParse("test://example.org/x"), nil)
	if err != nil {
		log.Fatal(err)
	}
	defer d.Body.Close()
	text, err := io.ReadAll(d.Body)
	fmt.Println(string(text), err)
	// Output: to be continued <nil>
}
