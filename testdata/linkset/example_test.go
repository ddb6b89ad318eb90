package linkset_test

import (
	"fmt"

	"example.org/deref/testdata/linkset"
)

func Example() {
	s := linkset.Start()
	defer s.Close()
	broken := 0
	for _, l := range s.List(1600, "127.0.0.1:1") {
		if l.Broken {
			broken++
		}
	}
	fmt.Println(broken, "of 1600 are broken")
	// Output: 400 of 1600 are broken
}
