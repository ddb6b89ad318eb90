package secretfile

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
		t.Errorf("no file: got %v, want ErrLocal and ErrNotExist", err)
	}
	if err := os.WriteFile(name, []byte("secret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if b, err := ReadFile(name); string(b) != "secret\n" || err != nil {
		t.Errorf("got %q, %v; want %q", b, err, "secret\n")
	}
	for _, mode := range []os.FileMode{0o640, 0o604, 0o620} {
		os.Chmod(name, mode)
		if b, err := ReadFile(name); fetch.KindOf(err) != fetch.ErrLocal || b != nil {
			t.Errorf("%o: got %q, %v; want ErrLocal and nil", mode, b, err)
		}
	}
	os.Chmod(name, 0o600)
	os.Truncate(name, maxSize+1)
	if _, err := ReadFile(name); fetch.KindOf(err) != fetch.ErrLocal {
		t.Errorf("a file without end: got %v, want ErrLocal", err)
	}
}

// A hint must not suggest to change anything but the user's own regular file, and a device or pipe holds no secrets itself.
func TestReadFileOfOthers(t *testing.T) {
	if b, err := ReadFile(os.DevNull); len(b) != 0 || err != nil {
		t.Errorf("%s: %q, %v, want nothing", os.DevNull, b, err)
	}
	name := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(name, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	os.Chmod(name, 0o644)
	hint := func() string {
		_, err := ReadFile(name)
		e, ok := errors.AsType[*fetch.Error](err)
		if !ok {
			t.Fatalf("others can read the file: got %v, want ok true", err)
		}
		return e.Hint
	}
	if got, want := hint(), "chmod 600 "+name; got != want {
		t.Errorf("own file: hint %q, want %q", got, want)
	}
	if err := os.Chown(name, 12, 34); err != nil {
		t.Skip("only root gives files away:", err)
	}
	if got := hint(); got != "" {
		t.Errorf("file of another user: hint %q, want none", got)
	}
}
