//go:build !unix

package main

import "context"

func signalled(ctx context.Context) (context.Context, context.CancelFunc) { return interruptible(ctx) }

// windowChanges: this system does not tell.
func windowChanges() (<-chan struct{}, func()) { return nil, func() {} }

func suspend() {}
