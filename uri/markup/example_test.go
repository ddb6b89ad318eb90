package markup_test

import (
	"fmt"
	"strings"

	"golang.org/x/net/html"

	"example.org/deref/uri/markup"
)

func Example() {
	t := markup.New(strings.NewReader(`<A HREF="a?b&amp;c">caf&eacute;</A>`), 1<<20)
	for kind := t.Next(); kind != html.ErrorToken; kind = t.Next() {
		fmt.Printf("%v %q %q\n", kind, t.Name(), t.Text())
		for name, value := range t.Attributes() {
			fmt.Printf("  %s = %q\n", name, value)
		}
	}
	// Output:
	// StartTag "a" ""
	//   href = "a?b&c"
	// Text "" "café"
	// EndTag "a" ""
}
