package foreign_test

import (
	"fmt"
	"os"
	"strings"

	"example.org/deref/fetch/render/foreign"
	"example.org/deref/uri"
)

// Scripts are removed, and links go through a proxy.
func Example() {
	page := strings.NewReader(`<p onclick="x()">See <a href="a.html">this</a>.<script>alert(1)</script>`)
	links := foreign.Links{To: func(u uri.URI) string { return "/?" + u.String() }}
	if err := foreign.Write(os.Stdout, page, false, uri.Resolver{Base: uri.MustParse("http://h.example/")}, links); err != nil {
		fmt.Println(err)
	}
	// Output: <p>See <a target="_top" rel="noreferrer" href="/?http://h.example/a.html">this</a>.
}
