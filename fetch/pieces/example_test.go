package pieces_test

import (
	"fmt"
	"io"

	"example.org/deref/fetch/pieces"
)

// A countdown is read like a file.
func Example() {
	n := 3
	r := pieces.NewReader(func() ([]byte, error) {
		if n == 0 {
			return []byte("go\n"), io.EOF
		}
		n--
		return fmt.Appendln(nil, n+1), nil
	})
	b, err := io.ReadAll(r)
	fmt.Printf("%s%v\n", b, err)
	// Output:
	// 3
	// 2
	// 1
	// go
	// <nil>
}
