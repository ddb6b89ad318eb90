//go:build !unix

package socket

import (
	"errors"
	"syscall"
)

// DescriptorLimit returns 0: there is no limit that matters here.
func DescriptorLimit() int { return 0 }

// IsExhausted reports whether err means that the process has no descriptor left.
func IsExhausted(err error) bool { return errors.Is(err, syscall.EMFILE) }
