// Package command is the deref command for programs that embed it: one file for each of its commands. Main runs a command line.
//
// It reads the environment, prints, and handles signals, which the packages fetch, schemes and uri never do.
package command

import (
	"cmp"
	"context"
	"errors"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"example.org/deref/cmd/internal/app"
	"example.org/deref/cmd/internal/flags"
	"example.org/deref/cmd/internal/retrieve"
	"example.org/deref/cmd/internal/terminal"
	"example.org/deref/fetch"
	"example.org/deref/fetch/browse"
)

// A command is one row of the command table.
type command struct {
	name  string
	args  string // what follows the name, for the usage line
	short string // one line; "" if help does not list the command
	flags func(*pflag.FlagSet) func(ctx context.Context, a *app.App, args []string) error
}

// commands returns the table, in the order of `deref help`.
func commands() []command {
	return []command{
		{"", "URI...", "dereference; the document goes to standard output", retrieve.Command},
		{"explain", "URI...", "print the command sequence, host and port; send nothing", explainCommand},
		{"locate", "URI...", "follow names to the end of the chain; sends HEAD, not GET", locateCommand},
		{"schemes", "", "list the schemes: retrieves, refers, session, sends", schemesCommand},
		{"browse", "[URI]", "read menus and documents in the terminal, with keys", browseCommand},
		{"send", "URI", "send a message: mailto by SMTP, news by POST", sendCommand},
		{"session", "URI", "attach a terminal or a script to telnet, rlogin, tn3270", sessionCommand},
		{"uri", "OP [ARG...]", "work on URIs: parse, resolve, normalize, ...", uriCommand},
		{"check", "[FILE|URI...]", "test the links in texts, lists, pages, directories", checkCommand},
		{"watch", "URI...", "tell when documents change", watchCommand},
		{"lint", "URI", "test a server against the specification of its protocol", lintCommand},
		{"mirror", "URI DIR", "copy a directory tree, menus, a newsgroup or a site", mirrorCommand},
		{"warc", "OP FILE...", "work on archives: ls, cat, check, extract, merge, ...", warcCommand},
		{"serve", "[DIR]", "serve one directory locally by every protocol", serveCommand},
		{"gateway", "ADDR", "a proxy that gives HTTP clients access to every scheme", gatewayCommand},
		{"demo", "", "serve the sample site and get a document by each scheme", demoCommand},
		{"completion", "SHELL", "print a completion script for bash, zsh or fish", completionCommand},
		{completeWord, "WORD...", "", completeCommand},
		{"help", "[TOPIC]", "explain a topic, a command or a scheme", helpCommand},
		{"version", "", "print the version of this program", versionCommand},
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
type action = func(ctx context.Context, a *app.App, args []string) error

func (c command) flagSet() (*pflag.FlagSet, action) {
	fs := pflag.NewFlagSet("deref "+c.name, pflag.ContinueOnError)
	fs.SetOutput(io.Discard)
	fs.Usage = func() {}
	return fs, c.flags(fs)
}

// An Environment holds the standard streams and environment variables of one run, and the schemes that the program adds.
type Environment struct {
	Stdin, Stdout, Stderr *os.File
	Getenv                func(string) string

	// Schemes are handled besides those of package schemes. All commands know them. One that has the name of another replaces it, also for
	// referrals, so a program should add only schemes that it trusts as much as its own code.
	Schemes []fetch.Scheme

	// Screen shows the browser of `deref browse`. If it is nil, the command executes deref-browse, which has one.
	Screen browse.Screen
}

// Process returns the Environment of this process, with further schemes. A program that adds handlers to the command has this main:
//
//	os.Exit(command.Main(context.Background(), os.Args[1:], command.Process(mine.Scheme())))
func Process(schemes ...fetch.Scheme) Environment {
	return Environment{Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Getenv: os.Getenv, Schemes: schemes}
}

// Main carries out the command line args, without the program's name, and returns the exit code. It closes e.Stdout. It panics if two of
// e.Schemes have the same name.
func Main(ctx context.Context, args []string, e Environment) int {
	a := app.New(e.Stdin, e.Stdout, e.Stderr, e.Getenv)
	a.More, a.Screen = e.Schemes, e.Screen
	return a.Finish(run(ctx, a, args))
}

// run carries out a command line and returns the exit code.
func run(ctx context.Context, a *app.App, args []string) int {
	cmd, _ := findCommand("")
	if len(args) > 0 && (args[0] == "--version" || args[0] == "-V") { // as in most programs
		args = append([]string{"version"}, args[1:]...)
	}
	if len(args) > 0 && args[0] != "" {
		if c, ok := findCommand(args[0]); ok {
			cmd, args = c, args[1:]
		}
	}
	a.Args = args
	if cmd.name == "help" {
		args = asTopic(args)
	}
	said, do := cmd.flagSet()
	if err := flags.Foreign(said, args); err != nil {
		return a.Fail(err)
	}
	err := said.Parse(args)
	fs := said
	if err == nil {
		fs, do, err = configure(a, cmd, said, do, args)
	}
	if err != nil {
		if errors.Is(err, pflag.ErrHelp) {
			return a.Fail(a.Print(commandHelp(cmd)))
		}
		if fetch.KindOf(err) == "" {
			err = flags.ParseError(err, said)
		}
		return a.Fail(err)
	}
	if err := cmp.Or(misplaced(cmd, fs, args), flags.Contradiction(said, fs), flags.Misread(fs, map[string]int{"": 1, "mirror": 2}[cmd.name]), cmd.count(fs.NArg())); err != nil {
		return a.Fail(err)
	}
	ctx, received := terminal.WithReceived(ctx)
	status := a.FailOutput(a.Fail(do(ctx, a, fs.Args())))
	if status == app.Interrupted {
		return received.Status()
	}
	return status
}

// count returns an error if there cannot be n arguments. A command that takes several counts them itself.
func (c command) count(n int) error {
	if most := len(strings.Fields(c.args)); strings.Contains(c.args, "...") || n == most || n == 0 && strings.HasPrefix(c.args, "[") {
		return nil
	}
	return &flags.UsageError{Text: "deref " + c.name + " takes " + cmp.Or(c.args, "no arguments"), Hint: "deref help " + c.name}
}

// misplaced returns an error if a command's name follows a flag, or if args begin with one that is misspelled. Read as a relative reference, the
// name would need --base.
func misplaced(cmd command, fs *pflag.FlagSet, args []string) error {
	if cmd.name != "" || fs.NArg() == 0 || fs.Lookup("base").Value.String() != "" {
		return nil
	}
	word := fs.Arg(0)
	if c, ok := findCommand(word); ok && c.name != "" {
		return &flags.UsageError{Text: c.name + ": a command comes before all flags", Hint: "deref " + c.name + " [flags] ..."}
	}
	if word != args[0] || strings.ContainsAny(word, ":/.") {
		return nil
	}
	if slices.Contains(topicNames(), word) {
		return &flags.UsageError{Text: word + ": neither a command nor a URI", Hint: "deref help " + word}
	}
	if hint := flags.Suggestion(word, commandNames()); hint != "" {
		return &flags.UsageError{Text: word + ": neither a command nor a URI", Hint: hint}
	}
	return nil
}
