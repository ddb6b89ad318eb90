//go:build unix

package save

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// copyOwner gives f the owner and group of old. group reports whether f has that group.
func copyOwner(f *os.File, old fs.FileInfo) (lost error, group bool) {
	fi, err := f.Stat()
	if err != nil {
		return err, false
	}
	was, ok := old.Sys().(*syscall.Stat_t)
	is, same := fi.Sys().(*syscall.Stat_t)
	if !ok || !same || was.Uid == is.Uid && was.Gid == is.Gid {
		return nil, true
	}
	if err = f.Chown(int(was.Uid), int(was.Gid)); err == nil {
		return nil, true
	}
	group = was.Gid == is.Gid || f.Chown(-1, int(was.Gid)) == nil
	return fmt.Errorf("cannot keep owner and group %d:%d: %w", was.Uid, was.Gid, err), group
}
