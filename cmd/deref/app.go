package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/pflag"
	"golang.org/x/term"

	"example.org/deref/fetch"
	"example.org/deref/fetch/render"
)

// An app is one run of the command: its streams and environment.
type app struct {
	stdin          *os.File
	stdout, stderr *os.File
	getenv         func(string) string
	silent         bool // -s without -S: no error lines
}

// A command is one row of the command table.
type command struct {
	name  string
	args  string // what follows the name, for the usage line
	short string // one line
	flags func(*pflag.FlagSet) func(ctx context.Context, a *app, args []string) error
}

// commands is the table: the order is the one of `deref help`.
func commands() []command {
	return []command{
		{"", "URI...", "dereference; the document goes to standard output", getCommand},
		{"explain", "URI...", "the command sequence, host and port; nothing is sent", explainCommand},
		{"locate", "URI...", "follow names to their ends without fetching: the chain of referrals", locateCommand},
		{"schemes", "", "what each scheme does: retrieves, refers, session, sends", schemesCommand},
		{"send", "URI", "hand a message over: mailto by SMTP, news by POST", sendCommand},
		{"session", "URI", "attach this terminal, or --script, to telnet, rlogin, tn3270", sessionCommand},
		{"uri", "OP [ARG...]", "work on URIs: parse, resolve, normalize, ...", uriCommand},
		{"serve", "[DIR]", "local servers of every protocol over one folder", serveCommand},
		{"demo", "", "serve the sample site and dereference one document of every scheme", demoCommand},
		{"help", "[TOPIC]", "this text, or a topic: exit-codes, a scheme", helpCommand},
		{"version", "", "the version of this program", versionCommand},
	}
}

func findCommand(name string) (command, bool) {
	for _, c := range commands() {
		if c.name == name {
			return c, true
		}
	}
	return command{}, false
}

// run carries out a command line and returns the exit code.
func (a *app) run(ctx context.Context, args []string) int {
	cmd, _ := findCommand("")
	if len(args) > 0 && args[0] != "" {
		if c, ok := findCommand(args[0]); ok {
			cmd, args = c, args[1:]
		}
	}
	fs := pflag.NewFlagSet("deref "+cmd.name, pflag.ContinueOnError)
	fs.SetOutput(io.Discard)
	fs.Usage = func() {}
	do := cmd.flags(fs)
	if err := fs.Parse(args); err != nil {
		if errors.Is(err, pflag.ErrHelp) {
			a.usage(a.stdout, cmd, fs)
			return 0
		}
		return a.fail(usageError(err.Error()))
	}
	return a.fail(do(ctx, a, fs.Args()))
}

// fail prints the error line and its hint, and returns the exit code.
func (a *app) fail(err error) int {
	if err == nil {
		return 0
	}
	if printed, ok := errors.AsType[*printedError](err); ok {
		return exitCode(printed.err)
	}
	a.printError("", err)
	return exitCode(err)
}

// printedError is an error whose line was printed where it happened.
type printedError struct{ err error }

func (p *printedError) Error() string { return p.err.Error() }

func (a *app) printError(subject string, err error) {
	if a.silent {
		return
	}
	if subject != "" {
		subject += ": "
	}
	fmt.Fprintf(a.stderr, "deref: %s: %s\n", class(err), render.Escape(subject+err.Error()))
	if e, ok := errors.AsType[*fetch.Error](err); ok && e.Hint != "" {
		fmt.Fprintf(a.stderr, "deref: hint: %s\n", render.Escape(e.Hint))
	}
}

func isTerminal(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }
