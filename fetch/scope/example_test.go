package scope_test

import (
	"context"
	"fmt"

	"example.org/deref/fetch"
	"example.org/deref/fetch/scope"
	"example.org/deref/schemes/data"
	"example.org/deref/uri"
)

func Example() {
	c := fetch.New(data.Scheme())
	defer c.Close()
	rules := scope.NewRobots(c, "my-robot")
	ok, err := rules.Allows(context.Background(), uri.MustParse("data:,has%20no%20robots.txt"))
	fmt.Println(ok, err)
	// Output: true <nil>
}

func ExampleParsePattern() {
	for _, s := range []string{"*.{gif,png}", "pub/old", "src/**/*.o", "http://h/*", `re:\?C=[NMSD]`, "["} {
		p, err := scope.ParsePattern(s, true)
		fmt.Println(p, err)
	}
	// Output:
	// *.{gif,png} <nil>
	// pub/old <nil>
	// src/**/*.o <nil>
	// http://h/* <nil>
	// re:\?C=[NMSD] <nil>
	//  pattern "[": syntax error in pattern
}
