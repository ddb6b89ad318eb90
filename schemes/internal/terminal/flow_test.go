package terminal

import (
	"context"
	"testing"
)

func TestFlow(t *testing.T) {
	var f Flow
	stopped := func() bool {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		f.Wait(ctx, nil)
		return f.gate != nil
	}
	for _, x := range []struct {
		do          func()
		typed, rest string
		stops       bool
	}{
		{func() {}, "a\x13b\x11", "a\x13b\x11", false},
		{func() { f.Set(true) }, "a\x13b", "ab", true},
		{func() {}, "\x13c", "c", true},
		{func() {}, "\x11d", "d", false},
		{func() { f.Any(true) }, "\x13", "", true},
		{func() {}, "\x13e", "e", false},
		{func() {}, "\x13", "", true},
		{func() { f.Set(false) }, "\x11", "\x11", false},
	} {
		x.do()
		if got := string(f.Keys([]byte(x.typed))); got != x.rest || stopped() != x.stops {
			t.Errorf("%q: got %q, stopped %v, want %q, %v", x.typed, got, stopped(), x.rest, x.stops)
		}
	}
	f.Wait(t.Context(), nil) // nothing is stopped: it returns
}
