package terminal

import (
	"context"
	"os/signal"
)

// Interruptible returns a context that ends with SIGINT, SIGTERM and SIGHUP, for commands that must clean up. Other commands leave the signals
// to the system, because handling them starts three threads, a third of the time that a small document takes. An ignored SIGHUP (nohup) stays
// ignored.
func Interruptible(ctx context.Context) (context.Context, context.CancelFunc) {
	return signal.NotifyContext(ctx, endSignals()...)
}
