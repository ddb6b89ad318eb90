package mediatype_test

import (
	"fmt"

	"example.org/deref/fetch/mediatype"
)

// The suffix of a name determines the type. Without a known suffix, the first bytes do.
func Example() {
	for _, name := range []string{"tide.html", "tide.pdf", "README"} {
		fmt.Println(name, mediatype.OfFile(name))
	}
	fmt.Println(mediatype.OfContent([]byte("%PDF-1.7\n")))
	fmt.Println(mediatype.OfContent([]byte("Read this first.\n")))
	fmt.Println(mediatype.Essence("Text/HTML; charset=utf-8"))
	// Output:
	// tide.html text/html
	// tide.pdf application/pdf
	// README application/octet-stream
	// application/pdf
	// text/plain
	// text/html
}
