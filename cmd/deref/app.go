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
	config         *config
	printer        printer
}

// A command is one row of the command table.
type command struct {
	name  string
	args  string // what follows the name, for the usage line
	short string // one line; "" is shown nowhere
	flags func(*pflag.FlagSet) func(ctx context.Context, a *app, args []string) error
}

// commands is the table: the order is the one of `deref help`.
func commands() []command {
	return []command{
		{"", "URI...", "dereference; the document goes to standard output", getCommand},
		{"explain", "URI...", "the command sequence, host and port; nothing is sent", explainCommand},
		{"locate", "URI...", "follow names to their ends: the chain; nothing is fetched", locateCommand},
		{"schemes", "", "what each scheme does: retrieves, refers, session, sends", schemesCommand},
		{"send", "URI", "hand a message over: mailto by SMTP, news by POST", sendCommand},
		{"session", "URI", "a terminal or a script at telnet, rlogin, tn3270", sessionCommand},
		{"uri", "OP [ARG...]", "work on URIs: parse, resolve, normalize, ...", uriCommand},
		{"check", "[FILE|URI...]", "test the links in texts, lists, pages, folders", checkCommand},
		{"mirror", "URI DIR", "copy a tree, hole, newsgroup, site; keep the copy current", mirrorCommand},
		{"warc", "OP FILE...", "what an archive holds: list, write, verify its records", warcCommand},
		{"serve", "[DIR]", "local servers of every protocol over one folder", serveCommand},
		{"gateway", "ADDR", "a proxy that shows every scheme to clients of HTTP", gatewayCommand},
		{"demo", "", "serve the sample site; one document through each scheme", demoCommand},
		{"completion", "SHELL", "a script for bash, zsh or fish that completes words", completionCommand},
		{completeWord, "", "", completeCommand},
		{"help", "[TOPIC]", "this text, a topic, a command, or a scheme", helpCommand},
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

// An action is what a command does once its flags are read.
type action = func(ctx context.Context, a *app, args []string) error

func (c command) flagSet() (*pflag.FlagSet, action) {
	fs := pflag.NewFlagSet("deref "+c.name, pflag.ContinueOnError)
	fs.SetOutput(io.Discard)
	fs.Usage = func() {}
	return fs, c.flags(fs)
}

// run carries out a command line and returns the exit code.
func (a *app) run(ctx context.Context, args []string) int {
	a.printer.file = a.stdout
	cmd, _ := findCommand("")
	if len(args) > 0 && (args[0] == "--version" || args[0] == "-V") { // as everywhere
		args = append([]string{"version"}, args[1:]...)
	}
	if len(args) > 0 && args[0] != "" {
		if c, ok := findCommand(args[0]); ok {
			cmd, args = c, args[1:]
		}
	}
	flags, do := cmd.flagSet()
	err := flags.Parse(args)
	fs := flags
	if err == nil {
		fs, do, err = a.configure(cmd, flags, do, args)
	}
	if err != nil {
		if errors.Is(err, pflag.ErrHelp) {
			return a.fail(a.print(commandHelp(cmd)))
		}
		if fetch.KindOf(err) == "" {
			err = mistake(err, flags)
		}
		return a.fail(err)
	}
	if err := firstOf(firstOf(misplaced(cmd, fs), meaningless(flags, fs)), swallowed(cmd, fs)); err != nil {
		return a.fail(err)
	}
	return a.fail(firstOf(do(ctx, a, fs.Args()), a.printer.close()))
}

// misplaced is what is wrong where a command's name stands behind a flag: as a partial form it would need --base.
func misplaced(cmd command, fs *pflag.FlagSet) error {
	c, ok := findCommand(fs.Arg(0))
	if !ok || c.name == "" || cmd.name != "" || fs.Lookup("base").Value.String() != "" {
		return nil
	}
	return &usage{c.name + ": a command stands before all flags", "deref " + c.name + " [flags] ..."}
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

func isTerminal(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }
