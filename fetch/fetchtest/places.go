package fetchtest

import (
	"errors"
	"slices"
	"testing"
)

// How many places of a dialogue have a fault: each byte of a short one, some of a long one; with -short, some of most.
const (
	maxPlaces      = 3000
	maxTLSPlaces   = 150
	maxShortPlaces = 10
)

// eachPlace calls try for each place of the server's bytes, n being the number of bytes before it. After two errors it stops: the rest would
// repeat them.
func (x *subject) eachPlace(try func(n int) error) error {
	var errs []error
	for _, n := range x.places() {
		if errs = add(errs, try(n)); len(errs) > 1 {
			break
		}
	}
	return errors.Join(errs...)
}

// places returns the numbers of bytes before the places. If not all are tried, those around the bounds of the server's lines are.
func (x *subject) places() []int {
	n, most := x.script.Bytes(), maxPlaces
	if x.script.Secure() {
		most = maxTLSPlaces
	}
	if testing.Short() {
		most = min(most, maxShortPlaces)
	}
	var list []int
	for i := 0; i < n; i += max(1, n/most) {
		list = append(list, i)
	}
	if n > most {
		for _, b := range x.script.Bounds() {
			list = append(list, max(0, b-1), min(b, n-1), min(b+1, n-1))
		}
		slices.Sort(list)
		list = slices.Compact(list)
	}
	return list
}
