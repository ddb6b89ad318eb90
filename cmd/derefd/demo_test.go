//go:build unix || windows

package main

import (
	"strings"
	"testing"
)

// The demonstration loses nothing.
func TestDemo(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes seconds")
	}
	t.Setenv("DEREFD_TEST", "1")
	out, _ := derefd(t, 0, "demo")
	for _, want := range []string{" is killed: ", "nothing was lost"} {
		if !strings.Contains(out, want) {
			t.Errorf("got %q, want %q", out, want)
		}
	}
}
