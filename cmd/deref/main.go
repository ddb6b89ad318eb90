// Command deref dereferences a URI of any scheme that the Web was designed to reach, and shows the conversation that did it.
//
// Everything that it can do is in the packages fetch, schemes and uri; here are only flags and printing.
package main

import (
	"context"
	"io"
	"log"
	"os"
	"os/signal"
)

func main() {
	widen(0)
	log.SetOutput(io.Discard) // net/http tells it each frame of HTTP/2 that it does not know: a server could fill the terminal
	a := &app{stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, getenv: os.Getenv}
	a.refuseClosed()
	os.Exit(a.finish(a.run(context.Background(), os.Args[1:])))
}

// stackRoom is more than the way from main to an open document takes of the stack.
const stackRoom = 24 << 10

// widen makes the stack large enough in one step, by having a large frame. It would grow by doubling, in the depth, and at each step the
// runtime reads its tables about every frame: a tenth of the time that a small document takes.
//
//go:noinline
func widen(n int) byte {
	if n == 0 {
		return 0 // without touching the room
	}
	var room [stackRoom]byte
	for i := range room {
		room[i] = byte(i)
	}
	return room[n]
}

// interruptible returns a context that ends with SIGINT, SIGTERM and SIGHUP, for commands that have something to clear away. The
// others leave the signals to the system: handling them costs three threads, a third of the time that a small document takes.
// SIGHUP is not heard where it is ignored: nohup.
func interruptible(ctx context.Context) (context.Context, context.CancelFunc) {
	return signal.NotifyContext(ctx, endSignals()...)
}
