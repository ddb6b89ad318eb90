//go:build !unix

package command

import (
	"context"
	"errors"
	"os"
	"os/exec"

	"example.org/deref/cmd/internal/app"
)

// execute runs a program on this terminal and ends with its exit status: this system cannot replace a process.
func execute(ctx context.Context, a *app.App, name string, args []string) error {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = a.Stdin, a.Stdout, a.Stderr
	err := cmd.Run()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		os.Exit(exit.ExitCode())
	}
	return err
}
