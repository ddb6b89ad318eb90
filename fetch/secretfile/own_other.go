//go:build !unix

package secretfile

import "io/fs"

// IsOwn reports whether info is of a regular file. Whose it is, its mode does not tell on this system.
func IsOwn(info fs.FileInfo) bool { return info.Mode().IsRegular() }
