// Package app is one run of the command: its streams, its environment and configuration, how it prints errors, and its exit code.
package app

import (
	"errors"
	"fmt"
	"io"
	"os"

	"example.org/deref/cmd/internal/flags"
	"example.org/deref/fetch"
	"example.org/deref/fetch/browse"
	"example.org/deref/fetch/render"
)

// An App is one run of the command: its streams and environment.
type App struct {
	Stdin          *os.File
	Stdout, Stderr *os.File
	Getenv         func(string) string
	Silent         bool // -s without -S: print no error lines
	Quiet          bool // -s: print no warnings of single flags
	Config         *Config
	More           []fetch.Scheme // that the program adds to those of package schemes
	Screen         browse.Screen  // nil if this program has none
	Args           []string       // of the command, with its flags
	printer        printer
}

// New returns a run with these streams.
func New(stdin, stdout, stderr *os.File, getenv func(string) string) *App {
	return &App{Stdin: stdin, Stdout: stdout, Stderr: stderr, Getenv: getenv, Config: &Config{}, printer: printer{file: stdout}}
}

// Fail prints the error line and its hint, and returns the exit code.
func (a *App) Fail(err error) int {
	if err == nil {
		return 0
	}
	if printed, ok := errors.AsType[*printedError](err); ok {
		a.printRest(err)
		return ExitCode(printed.err)
	}
	a.PrintError("", err)
	return ExitCode(err)
}

// printRest prints the parts of a joined error that were not printed yet: a script that was not followed, an incomplete archive.
func (a *App) printRest(err error) {
	several, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return
	}
	for _, e := range several.Unwrap() {
		if _, printed := errors.AsType[*printedError](e); printed {
			a.printRest(e)
			continue
		}
		a.PrintError("", e)
	}
}

// printedError is an error whose line has been printed already.
type printedError struct{ err error }

func (p *printedError) Error() string { return p.err.Error() }

func Printed(err error) error {
	if err == nil {
		return nil
	}
	return &printedError{err}
}

func (a *App) PrintError(subject string, err error) {
	a.printer.tell(err)
	if a.Silent && !flags.IsUsage(err) {
		return
	}
	if subject != "" {
		subject += ": "
	}
	fmt.Fprintf(a.Stderr, "deref: %s: %s\n", Class(err), render.Escape(subject+err.Error()))
	if h := flags.HintOf(err); h != "" {
		fmt.Fprintf(a.Stderr, "deref: hint: %s\n", render.Escape(h))
	}
}

// Warn prints a warning. It does nothing if err is nil.
func (a *App) Warn(err error) {
	if err != nil && !a.Silent {
		fmt.Fprintf(a.Stderr, "deref: warning: %s\n", render.Escape(err.Error()))
	}
}

func (a *App) Print(s string) error {
	_, err := io.WriteString(a.Out(), s)
	return err
}
