package news_test

import (
	"context"
	"fmt"
	"testing/fstest"

	"example.org/deref/fetch"
	"example.org/deref/schemes/news"
	"example.org/deref/schemes/news/newstest"
	"example.org/deref/uri"
)

func ExampleSchemes() {
	client := fetch.New(news.Schemes(&news.Config{Source: "news.example.org"})...)
	defer client.Close()
	p, err := client.Plan(uri.MustParse("news:comp.lang.c"), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(p.Addr)
	for _, s := range p.When("") {
		fmt.Println(s.Line())
	}
	// Output:
	// news.example.org:119
	// CAPABILITIES
	// GROUP comp.lang.c
	// OVER <low>-<high>
}

func Example_newstest() {
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
