package main

import (
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

// flagLines has a line for each flag that add adds, in that order.
func flagLines(add func(*pflag.FlagSet)) string {
	fs := pflag.NewFlagSet("", pflag.ContinueOnError)
	fs.SortFlags = false
	add(fs)
	return fs.FlagUsages()
}
