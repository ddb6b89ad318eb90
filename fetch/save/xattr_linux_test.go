package save_test

import (
	"errors"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"example.org/deref/fetch/save"
)

func TestAttributes(t *testing.T) {
	f, dir := folder(t)
	s := newSite(map[string]*object{"/x": {data: []byte("x")}})
	r, err := get(t, s, "/x", nil, &save.Options{Folder: f, Attributes: true})
	if errors.Is(r.Untold, unix.ENOTSUP) {
		t.Skip("this file system has no attributes")
	}
	if err != nil || r.Untold != nil {
		t.Fatal(err, r.Untold)
	}
	b := make([]byte, 200)
	for name, want := range map[string]string{"user.xdg.origin.url": r.Document.URI.String()} {
		if n, err := unix.Getxattr(filepath.Join(dir, "x"), name, b); err != nil || string(b[:n]) != want {
			t.Errorf("%s: %q, %v, want %q", name, b[:max(n, 0)], err, want)
		}
	}
}
