package portal_test

import (
	"fmt"

	"example.org/deref/fetch"
	"example.org/deref/fetch/portal"
	"example.org/deref/uri"
)

// A hotel's login page arrives instead of an archive.
func ExampleSuspect() {
	u := uri.MustParse("http://files.example/tides.zip")
	fmt.Println(portal.Suspect(u, &fetch.Document{URI: u, Status: 200, Type: "text/html"}, ""))
	fmt.Printf("%q\n", portal.Suspect(u, &fetch.Document{URI: u, Status: 200, Type: "application/zip"}, ""))
	// Output:
	// got a web page for a name that ends in .zip
	// ""
}
