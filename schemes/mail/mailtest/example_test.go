package mailtest_test

import (
	"context"
	"fmt"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/schemes/mail"
	"example.org/deref/schemes/mail/mailtest"
	"example.org/deref/uri"
)

func ExampleListenSMTP() {
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
