package htmltext_test

import (
	"fmt"
	"os"
	"strings"

	"example.org/deref/fetch/render/htmltext"
	"example.org/deref/uri"
)

const page = `<h1>The Web</h1><p>Read <a href="what.html">what it is</a>.`

func Example() {
	if err := htmltext.Render(os.Stdout, strings.NewReader(page), false, uri.Resolver{Base: uri.MustParse("http://h.example/")}, 78); err != nil {
		fmt.Println(err)
	}
	// Output:
	// The Web
	// =======
	//
	// Read [1]what it is.
	//
	// References
	//   [1] http://h.example/what.html
}

func ExampleLinks() {
	for e, err := range htmltext.Links(strings.NewReader(page), false, uri.Resolver{Base: uri.MustParse("http://h.example/")}) {
		fmt.Println(e.Title, e.URI, err)
	}
	// Output: what it is http://h.example/what.html <nil>
}
