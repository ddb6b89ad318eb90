package main

import (
	"context"
	"os"

	"example.org/deref/cmd/command"
	"example.org/deref/cmd/internal/screen"
)

// browser is the main function of deref-browse, as which the test binary runs, too.
func browser() {
	e := command.Process()
	e.Screen = &screen.Screen{Getenv: e.Getenv}
	os.Exit(command.Main(context.Background(), append([]string{"browse"}, os.Args[1:]...), e))
}
