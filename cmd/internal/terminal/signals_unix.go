//go:build unix

package terminal

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// endSignals returns the signals that end a command. SIGHUP is not among them if it is ignored (nohup).
func endSignals() []os.Signal {
	list := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		list = append(list, syscall.SIGHUP)
	}
	return list
}

// SessionSignals returns a context that ends with the signals that end a session, so that its terminal can be restored.
func SessionSignals(ctx context.Context) (context.Context, context.CancelFunc) {
	return notify(ctx, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT)
}

// WindowChanges returns a channel that receives a value after each change of the terminal's size.
func WindowChanges() (<-chan struct{}, func()) {
	signals, changes := make(chan os.Signal, 1), make(chan struct{}, 1)
	signal.Notify(signals, syscall.SIGWINCH)
	done := make(chan struct{})
	go func() {
		for {
			select {
			case <-signals:
				select {
				case changes <- struct{}{}:
				default: // a value is waiting; its receiver will get the latest size
				}
			case <-done:
				return
			}
		}
	}()
	return changes, func() { signal.Stop(signals); close(done) }
}

// Suspend stops the process group, as Ctrl-Z does, and returns when it continues. The signal may take effect a moment after it was sent, so
// Suspend waits for the one that continues the group. It does not wait long: a group without a shell is not stopped (POSIX section 2.4.3).
func Suspend() {
	continued := make(chan os.Signal, 1)
	signal.Notify(continued, syscall.SIGCONT)
	defer signal.Stop(continued)
	syscall.Kill(0, syscall.SIGTSTP)
	select {
	case <-continued:
	case <-time.After(stopsWithin):
	}
}

// stopsWithin is longer than the system takes to deliver a signal.
const stopsWithin = 500 * time.Millisecond
