// Command deref is deref with another scheme.
package main

import (
	"context"
	"os"

	"example.com/embed/xgunzip"
	"example.org/deref/cmd/command"
)

func main() {
	os.Exit(command.Main(context.Background(), os.Args[1:], command.Process(xgunzip.Scheme())))
}
