package check_test

import (
	"context"
	"fmt"

	"example.org/deref/fetch"
	"example.org/deref/fetch/check"
	"example.org/deref/schemes/data"
	"example.org/deref/uri"
)

func ExampleRun() {
	c := fetch.New(data.Scheme())
	defer c.Close()
	page := uri.MustParse("data:text/html,<a href='data:,there'>a</a> <a href='mailto:b@site.example'>b</a>")
	sum, err := check.Run(context.Background(), c, []uri.URI{page}, &check.Options{Done: func(r *check.Result) {
		if r.Verdict == check.OK {
			fmt.Println(r.Verdict, r.Name(), r.Places[0].Text)
		}
	}})
	fmt.Println(sum.Links, sum.Verdicts, err)
	// Output:
	// ok data:,there a
	// 2 map[not checkable:1 ok:1] <nil>
}
