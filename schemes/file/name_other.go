//go:build !unix && !windows

package file

// noWait makes opening a FIFO return at once. This system has no FIFOs.
const noWait = 0

// native returns the path of a file URI as the system writes it. Here they are the same.
func native(path string) (string, error) { return path, nil }
