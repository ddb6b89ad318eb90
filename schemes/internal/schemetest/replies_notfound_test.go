package schemetest_test

import (
	"testing"

	"example.org/deref/schemes/internal/replies"
)

// The texts are those of real servers.
func TestSaysNotFound(t *testing.T) {
	for text, want := range map[string]bool{
		"/x: No such file or directory":           true,  // proftpd
		"Can't open x: No such file or directory": true,  // pure-ftpd
		"File or directory not found!":            true,  // gophernicus
		"'/x' does not exist (no handler found)":  true,  // pygopherd
		"Failed to change directory.":             false, // vsftpd
		"Failed to open file.":                    false,
		"Could not get file size.":                false,
		"Can't check for file existence":          false, // pure-ftpd
		"Server too busy":                         false,
		"Permission denied":                       false,
		"":                                        false,
	} {
		if got := replies.SaysNotFound(text); got != want {
			t.Errorf("%q: got %t, want %t", text, got, want)
		}
	}
}
