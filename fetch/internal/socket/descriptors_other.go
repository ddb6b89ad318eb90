//go:build !unix

package socket

import (
	"errors"
	"math"
	"syscall"
)

// Documents returns how many documents the process has descriptors for at a time: there is no limit that matters here.
func Documents() int { return math.MaxInt }

func isShort(err error) bool { return errors.Is(err, syscall.EMFILE) }
