//go:build unix || windows

package hubtest_test

import (
	"fmt"

	"example.org/deref/fetch/hub/hubtest"
)

// The handler of a server notes which worker asks which host. Check then reports hosts that two workers asked at a time.
func ExampleVisits() {
	var v hubtest.Visits
	end := v.Begin("a.example", "w1")
	end()
	v.Begin("a.example", "w2")
	fmt.Println(v.Total())
	// Output: 2
}
