//go:build unix

package command

import (
	"context"
	"os"
	"syscall"

	"example.org/deref/cmd/internal/app"
	"example.org/deref/fetch"
)

// execute replaces this process by a program, so that signals and job control reach it directly.
func execute(_ context.Context, _ *app.App, name string, args []string) error {
	err := syscall.Exec(name, append([]string{name}, args...), os.Environ())
	return fetch.Errorf(fetch.ErrLocal, "%s: %w", name, err)
}
