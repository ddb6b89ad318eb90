// Package terminal asks for passwords, colors conversations, handles signals, and stands between a user or a script and an interactive
// session.
package terminal

import (
	"fmt"
	"os"

	"golang.org/x/term"

	"example.org/deref/fetch"
)

// Ask reads a secret from the terminal, never from standard input, which may be a document.
func Ask(prompt string) (string, error) {
	in, out, err := openTerminal()
	if err != nil {
		return "", fetch.Errorf(fetch.ErrAuth, "a password is needed, and there is no terminal to ask for it")
	}
	defer in.Close()
	defer out.Close()
	fmt.Fprint(out, prompt)
	p, err := term.ReadPassword(int(in.Fd()))
	fmt.Fprintln(out)
	if err != nil {
		return "", fetch.Errorf(fetch.ErrLocal, "%w", err)
	}
	return string(p), nil
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
