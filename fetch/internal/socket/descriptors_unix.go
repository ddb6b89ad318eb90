//go:build unix

package socket

import (
	"errors"
	"math"
	"syscall"
)

// DescriptorLimit returns how many descriptors the process may have, 0 if that is not known.
func DescriptorLimit() int {
	var l syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &l) != nil {
		return 0
	}
	return int(min(uint64(l.Cur), math.MaxInt32)) // some systems have int64 here
}

// IsExhausted reports whether err means that the process, or the system, has no descriptor left.
func IsExhausted(err error) bool {
	return errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE)
}
