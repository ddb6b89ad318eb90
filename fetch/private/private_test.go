package private

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"example.org/deref/fetch"
)

func TestReadFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "key")
	if _, err := ReadFile(name); fetch.KindOf(err) != fetch.ErrLocal || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	if err := os.WriteFile(name, []byte("secret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if b, err := ReadFile(name); string(b) != "secret\n" || err != nil {
		t.Errorf("%q, %v", b, err)
	}
	for _, mode := range []os.FileMode{0o640, 0o604, 0o620} {
		os.Chmod(name, mode)
		if b, err := ReadFile(name); fetch.KindOf(err) != fetch.ErrLocal || b != nil {
			t.Errorf("%o: %q, %v", mode, b, err)
		}
	}
	os.Chmod(name, 0o600)
	os.Truncate(name, maxSize+1)
	if _, err := ReadFile(name); fetch.KindOf(err) != fetch.ErrLocal {
		t.Errorf("a file without end: %v", err)
	}
}
