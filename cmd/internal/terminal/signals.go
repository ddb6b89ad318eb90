package terminal

import (
	"context"
	"os"
	"os/signal"
	"sync"
	"syscall"
)

// A Received is the signal that ended a command. It is safe for concurrent use.
type Received struct {
	mu     sync.Mutex
	signal os.Signal
}

type receivedKey struct{}

// WithReceived returns a context in which Interruptible and SessionSignals record the signal.
func WithReceived(ctx context.Context) (context.Context, *Received) {
	r := &Received{}
	return context.WithValue(ctx, receivedKey{}, r), r
}

// Status returns the exit status of an interrupted command: 128 and the number of the signal, as a shell reports for a program that handles no
// signals. It is that of Ctrl-C if there was no signal.
func (r *Received) Status() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	if n, ok := r.signal.(syscall.Signal); ok {
		return 128 + int(n)
	}
	return 130
}

// notify is signal.NotifyContext that records the signal.
func notify(ctx context.Context, signals ...os.Signal) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	arrived := make(chan os.Signal, 1)
	signal.Notify(arrived, signals...)
	go func() {
		select {
		case s := <-arrived:
			if r, ok := ctx.Value(receivedKey{}).(*Received); ok {
				r.mu.Lock()
				r.signal = s
				r.mu.Unlock()
			}
			cancel()
		case <-ctx.Done():
		}
	}()
	return ctx, func() { signal.Stop(arrived); cancel() }
}

// Interruptible returns a context that ends with SIGINT, SIGTERM and SIGHUP, for commands that must clean up. Other commands leave the signals
// to the system, because handling them starts three threads, a third of the time that a small document takes. An ignored SIGHUP (nohup) stays
// ignored.
func Interruptible(ctx context.Context) (context.Context, context.CancelFunc) {
	return notify(ctx, endSignals()...)
}
