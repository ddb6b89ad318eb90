package tn3270

import (
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/schemes/internal/nvt"
)

// TestUntakenKeys: input of a script that the host never accepts because the keyboard is locked is an error at the end. A user at a
// terminal sees the lock.
func TestUntakenKeys(t *testing.T) {
	for _, x := range []struct {
		typed  string
		locked bool
		person bool
		want   fetch.Kind
	}{
		{"ab", true, false, fetch.ErrRefused},
		{"", true, false, ""},
		{"ab", true, true, ""},
		{"\x1b", false, false, ""}, // half of a sequence
	} {
		a := &attached{host: &host{Host: &nvt.Host{}, view: view{screen: newScreen('2'), page: page037()}}, t: &fetch.Terminal{}}
		if x.person {
			a.t.Size = func() (int, int) { return 80, 24 }
		}
		a.view.locked = x.locked
		if err := a.Type([]byte(x.typed)); err != nil {
			t.Fatalf("%q: %v", x.typed, err)
		}
		if err := a.lostKeys(); fetch.KindOf(err) != x.want {
			t.Errorf("%q, locked %v, person %v: got %v, want kind %q", x.typed, x.locked, x.person, err, x.want)
		}
	}
}
