package fetch_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"example.org/deref/fetch/internal/lock"
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
	sure, err := lock.File(a)
	if !sure {
		t.Skip("no locks here")
	}
	if _, again := lock.File(b); err != nil || !errors.Is(again, lock.ErrHeld) {
		t.Errorf("got %v and %v, want one claim", err, again)
	}
	a.Close()
	if _, err := lock.File(b); err != nil {
		t.Error("the lock outlives its file")
	}
}
