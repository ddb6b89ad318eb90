//go:build !unix

package fetch

import (
	"errors"
	"syscall"
)

// descriptorLimit returns 0: there is no limit that matters here.
func descriptorLimit() int { return 0 }

// isExhausted reports whether err means that the process has no descriptor left.
func isExhausted(err error) bool { return errors.Is(err, syscall.EMFILE) }
