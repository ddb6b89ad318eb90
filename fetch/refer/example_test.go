package refer_test

import (
	"fmt"

	"example.org/deref/fetch"
	"example.org/deref/fetch/refer"
	"example.org/deref/schemes/wais"
	"example.org/deref/uri"
)

// WAIS documents come from an HTTP gateway. Planning shows where a request goes, without contacting the gateway.
func ExampleApply() {
	rule, err := refer.Parse("wais=http://gateway.example/get?{uri}")
	if err != nil {
		fmt.Println(err)
		return
	}
	list, err := refer.Apply([]fetch.Scheme{wais.Scheme()}, []refer.Rule{rule})
	if err != nil {
		fmt.Println(err)
		return
	}
	c := fetch.New(list...)
	defer c.Close()
	p, err := c.Plan(uri.MustParse("wais://wais.example/tides?spring"), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, r := range p.Refers {
		fmt.Println(r.URI)
	}
	// Output: http://gateway.example/get?wais%3A%2F%2Fwais.example%2Ftides%3Fspring
}
