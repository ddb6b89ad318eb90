package fetch_test

import (
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
