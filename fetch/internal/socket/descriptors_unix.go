//go:build unix

package socket

import (
	"errors"
	"math"
	"syscall"
)

const (
	// spareDescriptors is how many descriptors the process needs later, apart from those of documents: for its output directory, and to look
	// a name up.
	spareDescriptors = 4
	// perDocument is how many descriptors a long document needs: a socket, a file, and a pipe between them or a second socket.
	perDocument = 4
)

// Documents returns how many documents the process has descriptors for at a time, at least 1. The system gives out the lowest number that is free.
func Documents() int {
	var l syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &l) != nil {
		return math.MaxInt
	}
	most := int(min(uint64(l.Cur), math.MaxInt32)) // some systems have int64 here
	used, err := next()
	if err != nil {
		return 1
	}
	return max(1, (most-used-spareDescriptors)/perDocument)
}

func isShort(err error) bool { return errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE) }
