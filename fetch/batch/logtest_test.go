package batch_test

import (
	"path/filepath"
	"testing"

	"example.org/deref/fetch/batch"
	"example.org/deref/fetch/batch/logtest"
)

// The Log in a file keeps the promises.
func TestLogOfAFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	logtest.Test(t, func(t *testing.T, name string) batch.Log {
		t.Helper()
		l, err := batch.OpenLog(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return l
	})
}

// A test of another implementation opens that instead of a file.
func Example_logtest() {
	open := func(t *testing.T, name string) batch.Log {
		l, err := batch.OpenLog(filepath.Join(t.TempDir(), name))
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	_ = func(t *testing.T) { logtest.Test(t, open) }
	// Output:
}
