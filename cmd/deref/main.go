// Command deref dereferences a URI of any scheme that the Web was designed to reach, and shows the conversation that did it.
//
// Package cmd/command has its commands, and programs that embed deref call that package.
package main

import (
	"context"
	"io"
	"log"
	"os"

	"example.org/deref/cmd/command"
)

func main() {
	widen(0)
	log.SetOutput(io.Discard) // net/http tells it each frame of HTTP/2 that it does not know: a server could fill the terminal
	e := command.Environment{Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Getenv: os.Getenv}
	refuseClosed(&e.Stdin, &e.Stdout)
	os.Exit(command.Main(context.Background(), os.Args[1:], e))
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
