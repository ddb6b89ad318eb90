package urn_test

import (
	"fmt"

	"example.org/deref/fetch"
	"example.org/deref/schemes/urn"
	"example.org/deref/uri"
)

// A table of the user maps names to addresses. RFCs are built in.
func ExampleScheme() {
	table := []urn.Entry{{Prefix: "urn:example:", Template: "https://library.example/{rest}"}}
	c := fetch.New(urn.Scheme(&urn.Config{Table: table}))
	defer c.Close()
	for _, name := range []string{"urn:example:tides", "urn:ietf:rfc:8141"} {
		p, err := c.Plan(uri.MustParse(name), nil)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(p.Refers[0].URI)
	}
	// Output:
	// https://library.example/tides
	// https://www.rfc-editor.org/rfc/rfc8141.txt
}
