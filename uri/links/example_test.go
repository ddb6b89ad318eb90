package links_test

import (
	"fmt"
	"strings"

	"example.org/deref/uri"
	"example.org/deref/uri/links"
)

func ExampleHTML() {
	page := `<base href="http://h/docs/"><a href="a.html">First</a> <img srcset="b.png 1x, c.png 2x">`
	for l, err := range links.HTML(strings.NewReader(page), uri.Resolver{Base: uri.MustParse("http://h/")}) {
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Printf("%s %s %s %q\n", l.Element, l.Attribute, l.URI, l.Title)
	}
	// Output:
	// base href http://h/docs/ ""
	// a href http://h/docs/a.html "First"
	// img srcset http://h/docs/b.png ""
	// img srcset http://h/docs/c.png ""
}

func ExampleGopher() {
	menu := "0About\t0/about\tgopher.example\t70\r\n.\r\n"
	for l, err := range links.Gopher(strings.NewReader(menu)) {
		fmt.Println(l.URI, l.Title, err)
	}
	// Output: gopher://gopher.example/00/about About <nil>
}

func ExampleList() {
	list := "# comment\r\nhttp://h/a\r\n"
	for l, err := range links.List(strings.NewReader(list)) {
		fmt.Println(l.URI, err)
	}
	// Output: http://h/a <nil>
}
