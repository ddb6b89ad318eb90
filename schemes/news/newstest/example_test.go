package newstest_test

import (
	"context"
	"fmt"
	"testing/fstest"

	"example.org/deref/fetch"
	"example.org/deref/schemes/news"
	"example.org/deref/schemes/news/newstest"
	"example.org/deref/uri"
)

func ExampleNewServer() {
	const article = "Subject: hello\nMessage-ID: <1@site.example>\nNewsgroups: lab.test\n\nhi\n"
	server := newstest.NewServer(fstest.MapFS{"lab.test/1": {Data: []byte(article)}}, nil)
	defer server.Close()
	client := fetch.New(news.Schemes(nil)...)
	defer client.Close()
	d, err := client.Get(context.Background(), uri.MustParse(server.URL+"/lab.test"), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer d.Body.Close()
	for e, err := range d.Entries {
		fmt.Println(e.Title, e.Attr["number"], err)
	}
	// Output: hello [1] <nil>
}
