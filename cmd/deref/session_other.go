//go:build !unix

package main

import (
	"context"
	"os"
	"syscall"
)

// endSignals returns the signals that end a command. On Windows SIGTERM stands for a closed console.
func endSignals() []os.Signal { return []os.Signal{os.Interrupt, syscall.SIGTERM} }

func signalled(ctx context.Context) (context.Context, context.CancelFunc) { return interruptible(ctx) }

// windowChanges: this system does not tell.
func windowChanges() (<-chan struct{}, func()) { return nil, func() {} }

func suspend() {}
