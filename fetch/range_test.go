package fetch

import (
	"errors"
	"testing"
)

func TestPromise10RangeOf(t *testing.T) {
	for _, tt := range []struct {
		r        Range
		size     int64
		from, to int64
		bad      bool
	}{
		{Range{}, 10, 0, 10, false},
		{Range{3, 5}, 10, 3, 5, false},
		{Range{3, 0}, 10, 3, 10, false},
		{Range{3, 99}, 10, 3, 10, false},
		{Range{10, 0}, 10, 10, 10, false}, // resuming a complete document
		{Range{11, 0}, 10, 0, 0, true},
		{Range{5, 3}, 10, 0, 0, true},
		{Range{-4, 0}, 10, 6, 10, false},
		{Range{-40, 0}, 10, 0, 10, false},
		{Range{0, 4}, 0, 0, 0, false},
	} {
		from, to, err := tt.r.Of(tt.size)
		if from != tt.from || to != tt.to || errors.Is(err, ErrRange) != tt.bad {
			t.Errorf("%v of %d: [%d,%d) %v, want [%d,%d) %v", tt.r, tt.size, from, to, err, tt.from, tt.to, tt.bad)
		}
	}
}
