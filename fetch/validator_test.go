package fetch_test

import (
	"errors"
	"testing"

	"example.org/deref/fetch"
)

func TestPromise10Validators(t *testing.T) {
	dated := fetch.Validator{Modified: "m", Size: 5}
	for _, c := range []struct {
		a, b        fetch.Validator
		same, exact bool // of both; of a
	}{
		{fetch.Validator{}, fetch.Validator{}, false, false},
		{fetch.Validator{Tag: "1"}, fetch.Validator{Tag: "1"}, true, true},
		{fetch.Validator{Tag: "1"}, fetch.Validator{Tag: "2"}, false, true},
		{fetch.Validator{Tag: "1", Modified: "m", Size: 5}, dated, false, true},
		{fetch.Validator{Tag: "1", Modified: "m"}, fetch.Validator{Tag: "1", Modified: "n"}, true, true},
		{fetch.Validator{Tag: "1", Size: 5}, fetch.Validator{Tag: "1", Size: -1}, true, true},
		{fetch.Validator{Tag: "1", Size: 5}, fetch.Validator{Tag: "1", Size: 6}, false, true},
		{fetch.Validator{Tag: `W/"1"`, Modified: "m", Size: 5}, fetch.Validator{Tag: `W/"1"`}, true, false}, // RFC 9110 section 8.8.1
		{dated, dated, true, true},
		{dated, fetch.Validator{Modified: "m", Size: 6}, false, true},
		{dated, fetch.Validator{Modified: "n", Size: 5}, false, true},
		{fetch.Validator{Modified: "m"}, fetch.Validator{Modified: "m"}, false, false},
		{fetch.Validator{Size: 5}, fetch.Validator{Size: 5}, false, false},
	} {
		if c.a.Same(c.b) != c.same || c.b.Same(c.a) != c.same {
			t.Errorf("%+v and %+v are the same: %v", c.a, c.b, !c.same)
		}
		if c.a.Exact() != c.exact {
			t.Errorf("%+v is exact: %v", c.a, !c.exact)
		}
	}
}

func TestPromise10RangeOf(t *testing.T) {
	for _, tt := range []struct {
		r        fetch.Range
		size     int64
		from, to int64
		bad      bool
	}{
		{fetch.Range{}, 10, 0, 10, false},
		{fetch.Range{3, 5}, 10, 3, 5, false},
		{fetch.Range{3, 0}, 10, 3, 10, false},
		{fetch.Range{3, 99}, 10, 3, 10, false},
		{fetch.Range{10, 0}, 10, 10, 10, false}, // resuming a complete document
		{fetch.Range{11, 0}, 10, 0, 0, true},
		{fetch.Range{5, 3}, 10, 0, 0, true},
		{fetch.Range{-4, 0}, 10, 6, 10, false},
		{fetch.Range{-40, 0}, 10, 0, 10, false},
		{fetch.Range{0, 4}, 0, 0, 0, false},
	} {
		from, to, err := tt.r.Of(tt.size)
		if from != tt.from || to != tt.to || errors.Is(err, fetch.ErrRange) != tt.bad {
			t.Errorf("%v of %d: [%d,%d) %v, want [%d,%d) %v", tt.r, tt.size, from, to, err, tt.from, tt.to, tt.bad)
		}
	}
}
