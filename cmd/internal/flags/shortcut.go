package flags

import (
	"strconv"

	"github.com/spf13/pflag"
)

// A shortcut is the value of a hidden flag that sets another one.
type shortcut struct {
	fs          *pflag.FlagSet
	other, word string
}

func (s *shortcut) String() string { return "false" }
func (s *shortcut) Type() string   { return "bool" }
func (s *shortcut) Set(v string) error {
	on, err := strconv.ParseBool(v)
	if err != nil || !on {
		return err
	}
	return s.fs.Set(s.other, s.word)
}

// Shortcut adds a hidden flag without a value that means --other=word: a name that curl and wget have for it.
func Shortcut(fs *pflag.FlagSet, name, letter, other, word string) {
	f := fs.VarPF(&shortcut{fs, other, word}, name, letter, "curl's name for --"+other+" "+word)
	f.NoOptDefVal, f.Hidden = "true", true
}
