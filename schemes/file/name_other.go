//go:build !unix && !windows

package file

// noWait makes opening a FIFO return at once. This system has none.
const noWait = 0

// native returns the name under which the system knows the path of a file URI. Here they are the same.
func native(path string) (string, error) { return path, nil }
