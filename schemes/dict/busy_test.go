package dict

import (
	"errors"
	"testing"

	"example.org/deref/fetch"
)

func TestBusy(t *testing.T) {
	for code, want := range map[int]bool{420: true, 421: true, 500: false, 550: false} {
		e, ok := errors.AsType[*fetch.Error](reply{code, "x"}.failure())
		if !ok || e.Busy != want {
			t.Errorf("code %d: busy %v, want %v", code, ok && e.Busy, want)
		}
	}
}
