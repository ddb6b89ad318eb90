package charset_test

import (
	"fmt"

	"example.org/deref/fetch/charset"
)

func Example() {
	text, err := charset.Lookup("KOI8-R").NewDecoder().String("\xf0\xf2\xe9\xf7\xe5\xf4")
	fmt.Println(text, err)
	fmt.Println(charset.Lookup("utf-8") == nil, charset.IsKnown("utf-8"), charset.IsKnown("x-none"))
	// Output:
	// ПРИВЕТ <nil>
	// true true false
}
