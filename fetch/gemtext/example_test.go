package gemtext_test

import (
	"fmt"
	"strings"

	"example.org/deref/fetch/gemtext"
	"example.org/deref/uri"
)

// A document by any scheme: its links are relative to its own URI.
func Example() {
	text := "# Owls\n=> barn.gmi The barn owl\nThey hoot.\n"
	for e, err := range gemtext.Entries(gemtext.Lines(strings.NewReader(text), 0, false), uri.MustParse("gopher://h/0/owls/index.gmi")) {
		fmt.Println(e.Kind, e.Title, e.URI, err)
	}
	// Output:
	// text # Owls  <nil>
	// link The barn owl gopher://h/0/owls/barn.gmi <nil>
	// text They hoot.  <nil>
}
