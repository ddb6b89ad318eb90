//go:build unix

package secretfile

import (
	"io/fs"
	"os"
	"syscall"
)

// IsOwn reports whether info describes a regular file that the user owns.
func IsOwn(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && info.Mode().IsRegular() && int(stat.Uid) == os.Geteuid()
}
