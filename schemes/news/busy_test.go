package news

import (
	"errors"
	"testing"

	"example.org/deref/fetch"
)

func TestBusy(t *testing.T) {
	for _, test := range []struct {
		code int
		text string
		want fetch.Kind
		busy bool
	}{
		{400, "out of service", fetch.ErrUnavailable, true},
		{403, "internal fault", fetch.ErrUnavailable, false},
		{502, "Too many connections", fetch.ErrUnavailable, true},
		{502, "no permission", fetch.ErrRefused, false},
	} {
		e, ok := errors.AsType[*fetch.Error](fail(fetch.Step{Verb: "connecting"}, reply{code: test.code, text: test.text}))
		if !ok || e.Kind != test.want || e.Busy != test.busy {
			t.Errorf("%d %s: %+v, want %s, busy %v", test.code, test.text, e, test.want, test.busy)
		}
	}
}
