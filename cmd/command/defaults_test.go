package command

import (
	"slices"
	"testing"
)

// TestFlagsOfFiles checks that a file can set every flag except those that locate the file, and those that name the file of a single
// document.
func TestFlagsOfFiles(t *testing.T) {
	names := configurable()
	for name, want := range map[string]bool{"config": false, "disable": false, "output": false, "location": false, "retry": true, "set": true,
		"follow-to": true} {
		if got := slices.Contains(names, name); got != want {
			t.Errorf("a file can set %s: %v, want %v", name, got, want)
		}
	}
}
