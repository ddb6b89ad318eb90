package mail_test

import (
	"context"
	"fmt"
	"io"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/schemes/mail"
	"example.org/deref/schemes/mail/mailtest"
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

func Example_mailtest() {
	outbox, err := mailtest.ListenSMTP(nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer outbox.Close()
	client := fetch.New(mail.Schemes(&mail.Config{Submission: outbox.URL, From: "ann@site.example"})...)
	defer client.Close()
	_, err = client.Send(context.Background(), uri.MustParse("mailto:bob@site.example"), strings.NewReader("Subject: hello\n\nhi\n"), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, m := range outbox.Messages() {
		fmt.Println(m.From, m.To, strings.HasPrefix(m.Text, "Subject: hello\r\n"))
	}
	// Output: ann@site.example [bob@site.example] true
}
