//go:build !wasip1

// Command deref-browse is `deref browse`: it shows documents of every scheme in a terminal. It is a command of its own because the package for
// the terminal would slow down each start of deref (see package screen).
package main

import (
	"context"
	"io"
	"log"
	"os"

	"example.org/deref/cmd/command"
	"example.org/deref/cmd/internal/screen"
)

func main() {
	log.SetOutput(io.Discard) // net/http logs each unknown HTTP/2 frame
	e := command.Process()
	e.Screen = &screen.Screen{Getenv: e.Getenv}
	os.Exit(command.Main(context.Background(), append([]string{"browse"}, os.Args[1:]...), e))
}
