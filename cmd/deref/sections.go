package main

import (
	"fmt"
	"strings"

	"github.com/spf13/pflag"
)

// A section is a part of the flags of a command, as help shows them.
type section struct {
	title string // "" is shown nowhere
	add   func(*pflag.FlagSet)
}

func addSections(fs *pflag.FlagSet, list []section) {
	for _, s := range list {
		s.add(fs)
	}
}

// flagsHelp is `deref help flags`: every flag of retrieval, a line each.
func flagsHelp() string {
	var b strings.Builder
	b.WriteString("Flags of retrieval. They may follow the URI. `deref help COMMAND` has what a command knows besides.\n")
	for _, s := range new(getFlags).sections() {
		if s.title != "" {
			fmt.Fprintf(&b, "\n%s\n%s", s.title, flagLines(s.add))
		}
	}
	return b.String()
}

// flagLines has a line for each flag that add adds, in that order.
func flagLines(add func(*pflag.FlagSet)) string {
	fs := pflag.NewFlagSet("", pflag.ContinueOnError)
	fs.SortFlags = false
	add(fs)
	return fs.FlagUsages()
}

// ownFlags has a line for each flag that a command has besides those of requests; shared says that it has those too.
func ownFlags(c command) (lines string, shared bool) {
	lines = flagLines(func(fs *pflag.FlagSet) { shared = addOwnFlags(fs, c) })
	return lines, shared
}

func addOwnFlags(fs *pflag.FlagSet, c command) (shared bool) {
	common, all := pflag.NewFlagSet("", pflag.ContinueOnError), pflag.NewFlagSet("", pflag.ContinueOnError)
	new(requestFlags).add(common)
	c.flags(all)
	shared = all.Lookup("max-redirs") != nil
	all.VisitAll(func(f *pflag.Flag) {
		if !shared || common.Lookup(f.Name) == nil {
			fs.AddFlag(f)
		}
	})
	return shared
}
