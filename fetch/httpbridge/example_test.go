package httpbridge_test

import (
	"fmt"
	"io"
	"net/http"

	"example.org/deref/fetch"
	"example.org/deref/fetch/httpbridge"
	"example.org/deref/schemes/data"
)

func ExampleRegister() {
	t := &http.Transport{}
	httpbridge.Register(t, fetch.New(data.Scheme()))
	resp, err := (&http.Client{Transport: t}).Get("data:text/plain,hello")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	fmt.Println(resp.Status, string(b), err)
	// Output: 200 OK hello <nil>
}
