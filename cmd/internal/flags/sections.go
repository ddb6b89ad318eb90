package flags

import (
	"github.com/spf13/pflag"
)

// A Section is a group of flags in the help of a command.
type Section struct {
	Title string // "" if help does not show them
	Add   func(*pflag.FlagSet)
}

func AddSections(fs *pflag.FlagSet, list []Section) {
	for _, s := range list {
		s.Add(fs)
	}
}

// Lines returns a line for each flag that add adds, in that order.
func Lines(add func(*pflag.FlagSet)) string {
	fs := pflag.NewFlagSet("", pflag.ContinueOnError)
	fs.SortFlags = false
	add(fs)
	return fs.FlagUsages()
}
