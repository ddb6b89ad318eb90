package news_test

import (
	"fmt"

	"example.org/deref/fetch"
	"example.org/deref/schemes/news"
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
