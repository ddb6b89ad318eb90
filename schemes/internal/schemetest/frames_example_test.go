package schemetest_test

import (
	"fmt"

	"example.org/deref/schemes/internal/frames"
)

func Example_frames() {
	r := frames.Reader{Rest: []byte("\x02\x01\x2a\x04\x05a\tb\x00c")}
	fmt.Printf("%d %q %v\n", r.Next().Int(), string(r.Take(frames.OctetString)), r.Bad)
	// Output: 42 "a\tb\x00c" false
}
