//go:build unix

package fetch

import (
	"errors"
	"math"
	"syscall"
)

// descriptorLimit returns how many descriptors the process may have, 0 if that is not known.
func descriptorLimit() int {
	var l syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &l) != nil {
		return 0
	}
	return int(min(uint64(l.Cur), math.MaxInt32)) // some systems have int64 here
}

// isExhausted reports whether err means that the process, or the system, has no descriptor left.
func isExhausted(err error) bool {
	return errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE)
}
