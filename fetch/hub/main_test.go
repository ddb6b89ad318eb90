//go:build unix || windows

package hub_test

import (
	"os"
	"testing"

	"example.org/deref/fetch/fetchtest"
)

// TestMain plays the processes of the tests, which execute this binary again.
func TestMain(m *testing.M) {
	if role := os.Getenv("DEREF_HUB_TEST"); role != "" {
		play(role)
		return
	}
	fetchtest.Overlap()
	os.Exit(m.Run())
}
