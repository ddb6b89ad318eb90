package flags

import "testing"

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
