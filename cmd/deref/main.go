// Command deref dereferences a URI of any scheme that the Web was designed to reach, and shows the conversation that did it.
//
// Everything that it can do is in the packages fetch, schemes and uri; here are only flags and printing.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop() // not reached: the process ends with its signals, and telling them first costs its threads a round
	a := &app{stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, getenv: os.Getenv}
	code := a.run(ctx, os.Args[1:])
	os.Exit(code)
}
