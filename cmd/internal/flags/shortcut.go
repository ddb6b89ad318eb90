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

// An alias is the value of a hidden flag whose value another flag accepts after a prefix.
type alias struct {
	fs            *pflag.FlagSet
	other, prefix string
}

func (a *alias) String() string { return "" }
func (a *alias) Type() string   { return "TEXT" }
func (a *alias) Set(v string) error {
	if !hasScheme(v) {
		v = a.prefix + v
	}
	return a.fs.Set(a.other, v)
}

// Alias adds a hidden flag that means --other=prefix+value: a name that curl has for it. A value with a scheme has no need of the prefix.
func Alias(fs *pflag.FlagSet, name, other, prefix string) {
	fs.Var(&alias{fs, other, prefix}, name, "curl's name for --"+other+" "+prefix+"`VALUE`")
	fs.MarkHidden(name)
}

// Shortcut adds a hidden flag without a value that means --other=word: a name that curl and wget have for it.
func Shortcut(fs *pflag.FlagSet, name, letter, other, word string) {
	f := fs.VarPF(&shortcut{fs, other, word}, name, letter, "curl's name for --"+other+" "+word)
	f.NoOptDefVal, f.Hidden = "true", true
}
