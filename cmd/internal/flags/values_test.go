package flags

import (
	"testing"
	"time"
)

func TestSizes(t *testing.T) {
	for in, want := range map[string]Size{"1": 1, "10k": 10 << 10, "20M": 20 << 20, "1G": 1 << 30, "2T": 2 << 40} {
		var s Size
		if err := s.Set(in); err != nil || s != want {
			t.Errorf("%q: %d, %v, want %d", in, s, err, want)
		}
	}
	for _, in := range []string{"", "k", "-1", "0", "1.5M", "9223372036854775807k", "1Mk"} {
		var s Size
		if err := s.Set(in); err == nil {
			t.Errorf("%q: got %d, want an error", in, s)
		}
	}
}

// A pause of 0 is a value, too. It differs from a flag that was not given.
func TestPauses(t *testing.T) {
	for in, want := range map[string]Pause{"0": -1, "0.0": -1, "1": Pause(time.Second), "0.5": Pause(time.Second / 2)} {
		var p Pause
		if err := p.Set(in); err != nil || p != want {
			t.Errorf("%q: got %d, %v, want %d", in, p, err, want)
		}
	}
	for _, in := range []string{"", "x", "-1", "NaN", "1s"} {
		var p Pause
		if err := p.Set(in); err == nil {
			t.Errorf("%q: got %d, want an error", in, p)
		}
	}
	p := Pause(-1)
	if got := p.String(); got != "0" {
		t.Errorf("got %s, want 0", got)
	}
}
