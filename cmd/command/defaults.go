package command

import (
	"slices"

	"github.com/spf13/pflag"

	"example.org/deref/cmd/internal/app"
	"example.org/deref/cmd/internal/flags"
)

// configure reads the configuration file for a command that has --config, and sets the flags that are absent from the command line to
// the values of the file. A flag overrides the environment, and both override the file. A file value is ignored if a flag on the command
// line excludes it.
func configure(a *app.App, cmd command, said *pflag.FlagSet, do action, args []string) (*pflag.FlagSet, action, error) {
	if said.Lookup("config") == nil {
		return said, do, nil
	}
	c, err := app.LoadConfig(a.Getenv, a.Stderr, app.NewVocabulary(configurable, a.More...), said)
	if err != nil {
		return nil, nil, err
	}
	a.Config = c
	if len(c.Flags) == 0 {
		return said, do, nil
	}
	fs, do := cmd.flagSet()
	for _, d := range c.Flags {
		if f := said.Lookup(d.Name()); f == nil || f.Changed && d.Name() != "set" || flags.Excludes(said, d.Name()) || inEnvironment(a, d.Name()) { // --set adds to the file's
			continue
		}
		for _, v := range d.Values {
			if err := fs.Set(d.Name(), v); err != nil {
				return nil, nil, c.FlagError(d, flags.ParseError(err, fs))
			}
		}
	}
	return fs, do, fs.Parse(args)
}

// inEnvironment reports whether an environment variable overrides the file's value of a flag.
func inEnvironment(a *app.App, flag string) bool {
	var names []string
	switch flag {
	case "proxy":
		names = []string{"all_proxy", "ALL_PROXY", "http_proxy", "https_proxy", "HTTPS_PROXY"}
	case "noproxy":
		names = []string{"no_proxy", "NO_PROXY"}
	case "news":
		names = []string{"NNTPSERVER"}
	}
	return slices.ContainsFunc(names, func(n string) bool { return a.Getenv(n) != "" })
}

// configurable returns the long names of the flags that a file can set: all but those that name the configuration file or the output file of
// a single document.
func configurable() (names []string) {
	for _, c := range commands() {
		names = append(names, flagNames(c)...)
	}
	return slices.DeleteFunc(names, func(n string) bool { return n == "config" || n == "disable" || n == "output" })
}
