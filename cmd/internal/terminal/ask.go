// Package terminal asks for passwords, colors conversations, handles signals, and stands between a user or a script and an interactive
// session.
package terminal

import (
	"context"
	"fmt"
	"os"

	"golang.org/x/term"

	"example.org/deref/fetch"
	"example.org/deref/fetch/render"
)

// Ask reads a secret from the terminal, never from standard input, which may be a document. The end of ctx, or a signal that ends the command, ends Ask,
// since the terminal has no echo until then. The prompt may contain a name from a server.
func Ask(ctx context.Context, prompt string) (string, error) {
	in, out, err := openTerminal()
	if err != nil {
		return "", fetch.Errorf(fetch.ErrAuth, "a password is needed, and there is no terminal to ask for it")
	}
	fd := int(in.Fd())
	before, err := term.GetState(fd)
	if err != nil {
		return "", fetch.Errorf(fetch.ErrLocal, "the terminal: %w", err)
	}
	ctx, stop := Interruptible(ctx)
	defer stop()
	fmt.Fprint(out, render.Escape(prompt))
	type answer struct {
		secret []byte
		err    error
	}
	typed := make(chan answer, 1)
	go func() {
		p, err := term.ReadPassword(fd)
		typed <- answer{p, err}
	}()
	select {
	case a := <-typed:
		fmt.Fprintln(out)
		in.Close()
		out.Close()
		if a.err != nil {
			a.err = fetch.Errorf(fetch.ErrLocal, "%w", a.err)
		}
		return string(a.secret), a.err
	case <-ctx.Done(): // the goroutine stays in its read until the process ends
		term.Restore(fd, before)
		fmt.Fprintln(out)
		return "", ctx.Err()
	}
}

// IsTerminal reports whether f is a terminal.
func IsTerminal(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }

// Keyboard opens the terminal of this process again, for reading that can be interrupted by a deadline.
func Keyboard() (*os.File, error) {
	in, out, err := openTerminal()
	if err != nil {
		return nil, fetch.Errorf(fetch.ErrLocal, "the terminal: %w", err)
	}
	if out != in {
		out.Close()
	}
	return in, nil
}
