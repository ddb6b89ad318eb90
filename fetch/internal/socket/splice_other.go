//go:build !linux

package socket

import "os"

// A Splice does nothing on this system.
type Splice struct{}

// Close does nothing.
func (*Splice) Close() {}

// Move returns false: the caller has to copy.
func (*Splice) Move(*Conn, *os.File, int64, Watch) (n int64, err error, ok bool) {
	return 0, nil, false
}
