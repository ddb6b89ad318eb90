// Command deref dereferences a URI of any scheme that the Web was designed to reach, and shows the conversation that did it.
//
// Its commands are in package cmd/command, which programs that embed deref call.
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
	log.SetOutput(io.Discard) // net/http logs each unknown HTTP/2 frame, with which a server could fill the terminal
	e := command.Process()
	os.Exit(command.Main(context.Background(), os.Args[1:], e))
}

// stackRoom is larger than the stack from main to an open document.
const stackRoom = 24 << 10

// widen makes the stack large enough in one step, by means of a large frame. Otherwise it would grow by doubling, and at each step the runtime
// would read its tables for every frame, which takes time (the job start of testdata/bench).
//
//go:noinline
func widen(n int) byte {
	if n == 0 {
		return 0 // without using the frame
	}
	var room [stackRoom]byte
	for i := range room {
		room[i] = byte(i)
	}
	return room[n]
}
