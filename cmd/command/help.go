package command

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"example.org/deref/cmd/internal/app"
	"example.org/deref/cmd/internal/flags"
	"example.org/deref/cmd/internal/help"
	"example.org/deref/cmd/internal/request"
	"example.org/deref/cmd/internal/retrieve"
	"example.org/deref/fetch"
)

func helpCommand(fs *pflag.FlagSet) action {
	man := fs.Bool("man", false, "print the manual page of deref or of a command: deref help --man | man -l -")
	return func(_ context.Context, a *app.App, args []string) error {
		if *man {
			return printManual(a, strings.Join(args, " "))
		}
		if len(args) == 0 {
			return a.Print(overview())
		}
		return printTopic(a, args[0])
	}
}

// A topic is a text of `deref help`.
type topic struct {
	name string
	text func() string
}

func topics() []topic {
	constant := func(s string) func() string { return func() string { return s } }
	return []topic{
		{"flags", flagsHelp},
		{"archives", constant(help.Archives)},
		{"checksums", constant(help.Checksums)},
		{"completion", constant(help.Completion)},
		{"config", app.ConfigHelp},
		{"curl", curlHelp},
		{"exit-codes", constant(help.ExitCodes)},
		{"formats", func() string { return help.Formats + help.WriteOut() }},
		{"input", constant(help.Input)},
		{"licenses", constant(licenses)},
		{"links", constant(help.Links)},
		{"mail", constant(help.Mail)},
		{"mirrors", constant(help.Mirrors)},
		{"names", constant(help.Names)},
		{"programs", constant(help.Programs)},
		{"recordings", constant(help.Recordings)},
		{"wget", wgetHelp},
	}
}

func topicNames() (names []string) {
	for _, t := range topics() {
		names = append(names, t.name)
	}
	return names
}

// overview is `deref help`: one screen.
func overview() string {
	var b strings.Builder
	b.WriteString("Usage: deref [flags] URI...\n       deref COMMAND [flags] ...\n\n")
	for _, c := range commands() {
		if c.short == "" {
			continue // no person calls it
		}
		fmt.Fprintf(&b, "  %-20s %s\n", strings.TrimSpace(c.name+" "+c.args), c.short)
	}
	b.WriteString(commonFlags)
	names := topicNames()
	half := (len(names) + 1) / 2
	fmt.Fprintf(&b, "\nderef help TOPIC, COMMAND, SCHEME or --FLAG. Topics:\n  %s\n  %s\n", strings.Join(names[:half], " "), strings.Join(names[half:], " "))
	b.WriteString("\nExamples:\n" + help.Lines(help.First()))
	return b.String()
}

// commonFlags are those that most people want first.
const commonFlags = `
  -o FILE, -O    save, by the URI's name    -u USER[:PASS], -n  credentials
  -C -           resume                     -m SECONDS          take no longer
  -v             show the conversation      --retry N           try again
  -i, -I         with, or only metadata     --input FILE        many URIs
  --json         one object per result      --links, --link N   list or follow
  --format VIEW  raw text html json mbox    --search WORDS      search
`

// commandHelp returns the help page of a command.
func commandHelp(c command) string {
	if c.name == "" {
		return overview()
	}
	lines, shared := ownFlags(c)
	if lines != "" {
		c.args = "[flags] " + c.args
	}
	s := fmt.Sprintf("Usage: deref %s\n%s\n%s", strings.TrimSpace(c.name+" "+c.args), c.short, operationsHelp(c.name))
	if lines != "" {
		s += "\n" + lines
	}
	if shared {
		s += "\nand the flags of requests: deref help flags\n"
	}
	return s
}

func printTopic(a *app.App, name string) error {
	for _, t := range topics() {
		if t.name == name {
			return a.Print(t.text())
		}
	}
	if c, ok := findCommand(name); ok && name != "" {
		return a.Print(commandHelp(c))
	}
	if strings.HasPrefix(name, "-") {
		return printFlag(a, name)
	}
	s, ok := fetch.Registry(a.Schemes(nil)).Lookup(name)
	if !ok {
		return flags.Usage(fmt.Sprintf("no help on %q; deref help lists the topics", name))
	}
	return a.Print(schemeHelp(s))
}

func schemeHelp(s fetch.Scheme) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n\nSpecification: %s\nDoes: %s\n", strings.Join(s.Names, ", "), s.Summary, s.Spec, strings.Join(s.Does.Words(), ", "))
	if s.Rules.DefaultPort != 0 {
		fmt.Fprintf(&b, "Port: %d\n", s.Rules.DefaultPort)
	}
	if s.Help != nil {
		fmt.Fprintf(&b, "\n%s\n", strings.TrimSpace(s.Help()))
	}
	if s.Does.Session {
		b.WriteString("\nderef session attaches a terminal, takes lines from a pipe, or runs a script (deref help session).\n")
	}
	if len(s.Settings) > 0 {
		b.WriteString("\nSettings (--set KEY=VALUE):\n")
	}
	for _, set := range s.Settings {
		fmt.Fprintf(&b, "  %-24s %s\n", set.Key, set.Help)
	}
	return b.String()
}

// firstFlags are the flags that most command lines need, and no other.
const firstFlags = "output remote-name continue-at head include json format links link search verbose silent input retry max-time user netrc header insecure set"

// flagsHelp is `deref help flags`: every flag of retrieval, a line each, those of firstFlags before the others.
func flagsHelp() string {
	var b strings.Builder
	b.WriteString("Flags of requests. They may follow the URI. `deref help COMMAND` lists the additional flags of a command.\n")
	first := strings.Fields(firstFlags)
	section := func(title string, add func(*pflag.FlagSet)) {
		if lines := flags.Lines(add); lines != "" {
			fmt.Fprintf(&b, "\n%s\n%s", title, lines)
		}
	}
	section("The twenty that most command lines need", func(fs *pflag.FlagSet) {
		all, _ := commands()[0].flagSet()
		for _, name := range first {
			fs.AddFlag(all.Lookup(name))
		}
	})
	for _, s := range new(retrieve.Flags).Sections() {
		section(s.Title, func(fs *pflag.FlagSet) {
			group := pflag.NewFlagSet("", pflag.ContinueOnError)
			group.SortFlags = false
			s.Add(group)
			group.VisitAll(func(f *pflag.Flag) {
				if !slices.Contains(first, f.Name) {
					fs.AddFlag(f)
				}
			})
		})
	}
	return b.String()
}

// ownFlags returns a line for each flag of a command except those of requests. shared reports whether it has those, too.
func ownFlags(c command) (lines string, shared bool) {
	lines = flags.Lines(func(fs *pflag.FlagSet) { shared = addOwnFlags(fs, c) })
	return lines, shared
}

func addOwnFlags(fs *pflag.FlagSet, c command) (shared bool) {
	common := pflag.NewFlagSet("", pflag.ContinueOnError)
	new(request.Flags).Add(common)
	all, _ := c.flagSet()
	shared = all.Lookup("max-redirs") != nil
	all.VisitAll(func(f *pflag.Flag) {
		if !shared || common.Lookup(f.Name) == nil {
			fs.AddFlag(f)
		}
	})
	return shared
}
