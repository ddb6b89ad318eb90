package flags

import (
	"strconv"

	"github.com/spf13/pflag"
)

// Alias adds a hidden flag that means --other=prefix+value: a name that curl has for it. A value with a scheme has no need of the prefix.
func Alias(fs *pflag.FlagSet, name, other, prefix string) {
	fs.Func(name, "curl's name for --"+other+" "+prefix+"`VALUE`", func(v string) error {
		if !hasScheme(v) {
			v = prefix + v
		}
		return fs.Set(other, v)
	})
	fs.MarkHidden(name)
}

// Shortcut adds a hidden flag without a value that means --other=word: a name that curl and wget have for it.
func Shortcut(fs *pflag.FlagSet, name, letter, other, word string) {
	fs.BoolFuncP(name, letter, "curl's name for --"+other+" "+word, func(v string) error {
		if on, err := strconv.ParseBool(v); err != nil || !on {
			return err
		}
		return fs.Set(other, word)
	})
	fs.MarkHidden(name)
}
