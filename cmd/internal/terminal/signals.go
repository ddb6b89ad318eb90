package terminal

import (
	"context"
	"os/signal"
)

// Interruptible returns a context that ends with SIGINT, SIGTERM and SIGHUP, for commands that have something to clear away. The
// others leave the signals to the system: handling them costs three threads, a third of the time that a small document takes.
// SIGHUP is not heard where it is ignored: nohup.
func Interruptible(ctx context.Context) (context.Context, context.CancelFunc) {
	return signal.NotifyContext(ctx, endSignals()...)
}
