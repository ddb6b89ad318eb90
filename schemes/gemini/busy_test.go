package gemini

import (
	"errors"
	"testing"

	"example.org/deref/fetch"
)

func TestBusy(t *testing.T) {
	for code, want := range map[int]bool{40: false, 41: true, 42: false, 43: false, 44: true, 51: false} {
		e, ok := errors.AsType[*fetch.Error](status{code: code, meta: "1"}.failure())
		if !ok || e.Busy != want {
			t.Errorf("status %d: got busy %v, want %v", code, ok && e.Busy, want)
		}
	}
}
