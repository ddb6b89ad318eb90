package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"example.org/deref/fetch/render"
)

// An app is one run of the command: its streams and environment.
type app struct {
	stdin          *os.File
	stdout, stderr *os.File
	getenv         func(string) string
	silent         bool // -s without -S: no error lines
	config         *config
	printer        printer
}

// newApp returns a run with these streams.
func newApp(stdin, stdout, stderr *os.File, getenv func(string) string) *app {
	return &app{stdin: stdin, stdout: stdout, stderr: stderr, getenv: getenv, config: &config{}, printer: printer{file: stdout}}
}

// fail prints the error line and its hint, and returns the exit code.
func (a *app) fail(err error) int {
	if err == nil {
		return 0
	}
	if printed, ok := errors.AsType[*printedError](err); ok {
		a.printRest(err)
		return exitCode(printed.err)
	}
	a.printError("", err)
	return exitCode(err)
}

// printRest prints what went wrong besides what was printed: a script that was left, an archive that is not whole.
func (a *app) printRest(err error) {
	several, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return
	}
	for _, e := range several.Unwrap() {
		if _, printed := errors.AsType[*printedError](e); printed {
			a.printRest(e)
			continue
		}
		a.printError("", e)
	}
}

// printedError is an error whose line was printed where it happened.
type printedError struct{ err error }

func (p *printedError) Error() string { return p.err.Error() }

func asPrinted(err error) error {
	if err == nil {
		return nil
	}
	return &printedError{err}
}

func (a *app) printError(subject string, err error) {
	if a.silent && !isUsage(err) {
		return
	}
	if subject != "" {
		subject += ": "
	}
	fmt.Fprintf(a.stderr, "deref: %s: %s\n", class(err), render.Escape(subject+err.Error()))
	if h := hint(err); h != "" {
		fmt.Fprintf(a.stderr, "deref: hint: %s\n", render.Escape(h))
	}
}

// warn prints what is worth knowing but no failure; nil is nothing.
func (a *app) warn(err error) {
	if err != nil && !a.silent {
		fmt.Fprintf(a.stderr, "deref: warning: %s\n", render.Escape(err.Error()))
	}
}

func (a *app) print(s string) error {
	_, err := io.WriteString(a.out(), s)
	return err
}
