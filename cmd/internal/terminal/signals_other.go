//go:build !unix

package terminal

import (
	"context"
	"os"
	"syscall"
)

// endSignals returns the signals that end a command. On Windows SIGTERM stands for a closed console.
func endSignals() []os.Signal { return []os.Signal{os.Interrupt, syscall.SIGTERM} }

func SessionSignals(ctx context.Context) (context.Context, context.CancelFunc) {
	return Interruptible(ctx)
}

// WindowChanges returns nil: this system does not report changes.
func WindowChanges() (<-chan struct{}, func()) { return nil, func() {} }

func Suspend() {}
