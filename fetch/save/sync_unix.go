//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package save

import "os"

// syncDir makes the names in a directory durable.
func syncDir(d *os.File) error { return d.Sync() }
