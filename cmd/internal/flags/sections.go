package flags

import (
	"github.com/spf13/pflag"
)

// A Section is a part of the flags of a command, as help shows them.
type Section struct {
	Title string // "" is shown nowhere
	Add   func(*pflag.FlagSet)
}

func AddSections(fs *pflag.FlagSet, list []Section) {
	for _, s := range list {
		s.Add(fs)
	}
}

// Lines has a line for each flag that add adds, in that order.
func Lines(add func(*pflag.FlagSet)) string {
	fs := pflag.NewFlagSet("", pflag.ContinueOnError)
	fs.SortFlags = false
	add(fs)
	return fs.FlagUsages()
}
