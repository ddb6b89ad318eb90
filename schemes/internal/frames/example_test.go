package frames_test

import (
	"fmt"

	"example.org/deref/schemes/internal/frames"
)

func Example() {
	r := frames.Reader{Rest: []byte("\x02\x01\x2a\x04\x05a\tb\x00c")}
	fmt.Println(r.Next().Int(), frames.Quote(r.Next().Contents))
	// Output: 42 "a\tb\x00c"
}
