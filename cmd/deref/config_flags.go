package main

import (
	"slices"

	"github.com/spf13/pflag"
)

// configure reads the configuration file for a command that has --config, and gives the flags that the command line does not name the
// values of the file: flag before environment before file. What a flag excludes is not taken from the file.
func configure(a *app, cmd command, said *pflag.FlagSet, do action, args []string) (*pflag.FlagSet, action, error) {
	if said.Lookup("config") == nil {
		return said, do, nil
	}
	c, err := loadConfig(a.getenv, a.stderr, newVocabulary(configurable), said)
	if err != nil {
		return nil, nil, err
	}
	a.config = c
	if len(c.flags) == 0 {
		return said, do, nil
	}
	fs, do := cmd.flagSet()
	for _, d := range c.flags {
		if f := said.Lookup(d.name()); f == nil || f.Changed && d.name() != "set" || excludes(said, d.name()) || environmentSays(a, d.name()) { // --set adds to them
			continue
		}
		for _, v := range d.values {
			if err := fs.Set(d.name(), v); err != nil {
				return nil, nil, c.wrong(d, mistake(err, fs))
			}
		}
	}
	return fs, do, fs.Parse(args)
}

// environmentSays reports whether a variable stands before the file's value of a flag.
func environmentSays(a *app, flag string) bool {
	var names []string
	switch flag {
	case "proxy":
		names = []string{"all_proxy", "ALL_PROXY", "http_proxy", "https_proxy", "HTTPS_PROXY"}
	case "noproxy":
		names = []string{"no_proxy", "NO_PROXY"}
	case "news":
		names = []string{"NNTPSERVER"}
	}
	return slices.ContainsFunc(names, func(n string) bool { return a.getenv(n) != "" })
}

// configurable are the long names of all flags but those that say where the file is, and the one that names the file of a single document.
func configurable() (names []string) {
	for _, c := range commands() {
		fs := pflag.NewFlagSet("", pflag.ContinueOnError)
		c.flags(fs)
		fs.VisitAll(func(f *pflag.Flag) {
			if f.Name != "config" && f.Name != "disable" && f.Name != "output" && !f.Hidden {
				names = append(names, f.Name)
			}
		})
	}
	return names
}
