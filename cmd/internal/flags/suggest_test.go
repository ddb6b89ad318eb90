package flags

import "testing"

func TestNearest(t *testing.T) {
	known := []string{"connect-timeout", "idle-timeout", "retry", "header"}
	for in, want := range map[string]string{"conect-timout": "connect-timeout", "heder": "header", "rety": "retry", "zzz": "", "": ""} {
		if got := suggest(in, known); got != want {
			t.Errorf("%s: %q, want %q", in, got, want)
		}
	}
	if d := distance("kitten", "sitting"); d != 3 {
		t.Errorf("distance %d, want 3", d)
	}
}
