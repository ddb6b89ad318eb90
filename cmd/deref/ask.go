package main

import (
	"fmt"
	"os"

	"golang.org/x/term"

	"example.org/deref/fetch"
)

// ask reads a secret from the terminal, never from standard input, which may be a document.
func (a *app) ask(prompt string) (string, error) {
	tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err != nil {
		return "", fetch.Errorf(fetch.ErrAuth, "a password is needed and there is no terminal to ask on")
	}
	defer tty.Close()
	fmt.Fprint(tty, prompt)
	p, err := term.ReadPassword(int(tty.Fd()))
	fmt.Fprintln(tty)
	if err != nil {
		return "", fetch.Errorf(fetch.ErrLocal, "%w", err)
	}
	return string(p), nil
}
