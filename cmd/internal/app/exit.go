package app

import (
	"cmp"
	"context"
	"errors"
	"syscall"

	"example.org/deref/cmd/internal/flags"
	"example.org/deref/fetch"
)

// Class returns the word at the beginning of the error line.
func Class(err error) string {
	if flags.IsUsage(err) {
		return "usage"
	}
	if errors.Is(err, context.Canceled) {
		return "interrupted"
	}
	return string(cmp.Or(kindOf(err), "error"))
}

// kindOf returns the Kind of err. An error of the operating system without one is about a file or device of this machine: those of the network have one.
func kindOf(err error) fetch.Kind {
	k := fetch.KindOf(err)
	if _, ok := errors.AsType[syscall.Errno](err); ok {
		k = cmp.Or(k, fetch.ErrLocal)
	}
	return k
}

// Interrupted is the exit code after Ctrl-C.
const Interrupted = 130

// ExitCode returns the exit code for err (`deref help exit-codes`).
func ExitCode(err error) int {
	if err == nil {
		return 0
	}
	if flags.IsUsage(err) {
		return 2
	}
	if errors.Is(err, context.Canceled) {
		return Interrupted
	}
	switch kindOf(err) {
	case fetch.ErrRefusedURL, fetch.ErrRefusedPort, fetch.ErrDenied:
		return 3
	case fetch.ErrUnsupported:
		return 4
	case fetch.ErrDNS, fetch.ErrConnect, fetch.ErrConnection, fetch.ErrTLS:
		return 5
	case fetch.ErrAuth, fetch.ErrRefused:
		return 6
	case fetch.ErrNotFound:
		return 7
	case fetch.ErrProtocol, fetch.ErrDecode:
		return 8
	case fetch.ErrTruncated, fetch.ErrTransfer:
		return 9
	case fetch.ErrLimit, fetch.ErrRedirect:
		return 10
	case fetch.ErrRange, fetch.ErrChanged:
		return 11
	case fetch.ErrTimeout:
		return 12
	case fetch.ErrInteractive:
		return 13
	case fetch.ErrLocal, fetch.ErrDisk:
		return 14
	case fetch.ErrUnavailable:
		return 15
	}
	return 1
}
