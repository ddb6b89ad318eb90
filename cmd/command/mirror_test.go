package command

import (
	"errors"
	"io/fs"
	"syscall"
	"testing"

	"example.org/deref/fetch"
)

// TestMirrorReportsAFullDiskOnce: documents that are in progress at the same time fail for the same cause.
func TestMirrorReportsAFullDiskOnce(t *testing.T) {
	full := func(name string) error {
		return fetch.Errorf(fetch.ErrDisk, "%w", &fs.PathError{Op: "write", Path: name, Err: syscall.EIO})
	}
	var f mirrorFlags
	for i, c := range []struct {
		err  error
		want bool
	}{{full("a"), false}, {full("b"), true}, {fetch.Errorf(fetch.ErrDisk, "%w", syscall.EACCES), false}, {fetch.Errorf(fetch.ErrNotFound, "x"), false},
		{fetch.Errorf(fetch.ErrNotFound, "x"), false}, {full("manifest"), true},
		{fetch.Errorf(fetch.ErrDisk, "%w", errors.Join(full("index.html"), fetch.Errorf(fetch.ErrDisk, "x"))), true}} {
		if got := f.repeats(c.err); got != c.want {
			t.Errorf("error %d, %v: got %t, want %t", i, c.err, got, c.want)
		}
	}
}
