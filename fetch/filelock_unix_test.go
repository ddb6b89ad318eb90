//go:build unix

package fetch_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"example.org/deref/fetch/internal/lock"
)

// A process that is being started has a copy of each open file until it executes its program. That must not keep a file locked.
func TestCloseWhileAProcessStarts(t *testing.T) {
	name := filepath.Join(t.TempDir(), "f")
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	if sure, _ := lock.File(f); !sure {
		t.Skip("no locks here")
	}
	inChild, err := syscall.Dup(int(f.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(inChild)
	lock.Close(f)
	again, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if _, err := lock.File(again); err != nil {
		t.Error("got a file that is still locked, want it free")
	}
}
