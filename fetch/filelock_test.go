package fetch_test

import (
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
	held, sure := filelock.Lock(a)
	if !sure {
		t.Skip("no locks here")
	}
	if again, _ := filelock.Lock(b); !held || again {
		t.Errorf("got %v and %v, want one claim", held, again)
	}
	a.Close()
	if held, _ := filelock.Lock(b); !held {
		t.Error("the lock outlives its file")
	}
}
