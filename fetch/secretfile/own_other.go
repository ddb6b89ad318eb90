//go:build !unix

package secretfile

import "io/fs"

// IsOwn reports whether info describes a regular file. Its mode does not show its owner on this system.
func IsOwn(info fs.FileInfo) bool { return info.Mode().IsRegular() }
