package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/pflag"

	"example.org/deref/fetch"
	"example.org/deref/schemes"
)

func helpCommand(*pflag.FlagSet) func(context.Context, *app, []string) error {
	return func(_ context.Context, a *app, args []string) error {
		if len(args) == 0 {
			cmd, _ := findCommand("")
			fs := pflag.NewFlagSet("deref", pflag.ContinueOnError)
			cmd.flags(fs)
			return a.usage(a.stdout, cmd, fs)
		}
		return a.topic(args[0])
	}
}

// usage prints how a command is called; for the whole program, the commands too.
func (a *app) usage(w io.Writer, cmd command, fs *pflag.FlagSet) error {
	var b strings.Builder
	fmt.Fprintf(&b, "Usage: deref %s\n", strings.TrimSpace(cmd.name+" [flags] "+cmd.args))
	if cmd.name != "" {
		fmt.Fprintf(&b, "%s\n", cmd.short)
	} else {
		for _, c := range commands() {
			fmt.Fprintf(&b, "  %-28s %s\n", strings.TrimSpace("deref "+c.name+" "+c.args), c.short)
		}
	}
	fmt.Fprintf(&b, "\n%s", fs.FlagUsages())
	if cmd.name == "" {
		fmt.Fprintf(&b, "\nTopics of deref help: exit-codes, input, programs, and each scheme: %s\n", strings.Join(schemeNames(), " "))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func schemeNames() []string {
	var names []string
	for _, s := range schemes.All(nil) {
		names = append(names, s.Name())
	}
	return names
}

func (a *app) topic(name string) error {
	if name == "exit-codes" {
		_, err := io.WriteString(a.stdout, exitCodes)
		return err
	}
	if name == "input" {
		_, err := io.WriteString(a.stdout, inputHelp)
		return err
	}
	if name == "programs" {
		_, err := io.WriteString(a.stdout, programsHelp)
		return err
	}
	if c, ok := findCommand(name); ok && name != "" {
		fs := pflag.NewFlagSet(name, pflag.ContinueOnError)
		c.flags(fs)
		return a.usage(a.stdout, c, fs)
	}
	s, ok := fetch.Registry(schemes.All(nil)).Lookup(name)
	if !ok {
		return usageError(fmt.Sprintf("no help on %q; deref help lists the topics", name))
	}
	_, err := io.WriteString(a.stdout, schemeHelp(s))
	return err
}

func schemeHelp(s fetch.Scheme) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n\nSpecification: %s\nDoes: %s\n", strings.Join(s.Names, ", "), s.Summary, s.Spec, strings.Join(s.Does.Words(), ", "))
	if s.Rules.DefaultPort != 0 {
		fmt.Fprintf(&b, "Port: %d\n", s.Rules.DefaultPort)
	}
	if s.Help != "" {
		fmt.Fprintf(&b, "\n%s\n", strings.TrimSpace(s.Help))
	}
	if len(s.Settings) > 0 {
		b.WriteString("\nSettings (--set KEY=VALUE):\n")
	}
	for _, set := range s.Settings {
		fmt.Fprintf(&b, "  %-24s %s\n", set.Key, set.Help)
	}
	return b.String()
}
