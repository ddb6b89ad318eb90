package mail_test

import (
	"context"
	"fmt"
	"io"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/schemes/mail"
	"example.org/deref/uri"
)

func ExampleSchemes() {
	const message = "Content-Type: multipart/mixed; boundary=b\n\n--b\nContent-ID: <note@site.example>\n\nhello\n--b--\n"
	client := fetch.New(mail.Schemes(&mail.Config{
		Input: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(message)), nil },
	})...)
	defer client.Close()
	d, err := client.Get(context.Background(), uri.MustParse("cid:note@site.example"), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer d.Body.Close()
	b, err := io.ReadAll(d.Body)
	fmt.Println(string(b), err)
	// Output: hello <nil>
}
