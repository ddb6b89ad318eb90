package command

import (
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"example.org/deref/cmd/internal/app"
	"example.org/deref/cmd/internal/flags"
)

// asTopic makes a flag after `deref help` its topic. --man and the flags of help itself remain flags.
func asTopic(args []string) []string {
	if len(args) == 0 || !strings.HasPrefix(args[0], "-") || args[0] == "-h" || args[0] == "--" || strings.HasPrefix("--help", args[0]) ||
		strings.HasPrefix("--man", args[0]) {
		return args
	}
	return append([]string{"--"}, args...)
}

// printFlag explains a flag: its line in the help, and the commands that have it. For a flag of curl or wget, it prints what deref has in its place.
func printFlag(a *app.App, arg string) error {
	name, _, _ := strings.Cut(strings.TrimLeft(arg, "-"), "=")
	lines, users := []string{}, map[string][]string{}
	for _, c := range commands() {
		fs, _ := c.flagSet()
		f := fs.Lookup(name)
		if len(name) == 1 {
			f = fs.ShorthandLookup(name)
		}
		if f == nil || c.short == "" {
			continue
		}
		shown := *f
		shown.Hidden = false
		line := flags.Lines(func(fs *pflag.FlagSet) { fs.AddFlag(&shown) })
		if users[line] == nil {
			lines = append(lines, line)
		}
		users[line] = append(users[line], strings.TrimSpace("deref "+c.name))
	}
	if len(lines) == 0 {
		fs, _ := commands()[0].flagSet()
		return flags.Unknown(name, fs)
	}
	var b strings.Builder
	for _, line := range lines {
		fmt.Fprintf(&b, "%s      of %s\n", line, strings.Join(users[line], ", "))
	}
	return a.Print(b.String())
}
