package fetch_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"example.org/deref/fetch/internal/filelock"
)

func TestLock(t *testing.T) {
	name := filepath.Join(t.TempDir(), "f")
	open := func() *os.File {
		f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	a, b := open(), open()
	defer b.Close()
	sure, err := filelock.Lock(a)
	if !sure {
		t.Skip("no locks here")
	}
	if _, again := filelock.Lock(b); err != nil || !errors.Is(again, filelock.ErrHeld) {
		t.Errorf("got %v and %v, want one claim", err, again)
	}
	a.Close()
	if _, err := filelock.Lock(b); err != nil {
		t.Error("the lock outlives its file")
	}
}
