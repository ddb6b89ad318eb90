package app

import _ "embed" // the example

//go:embed example.toml
var example string

// ConfigHelp returns the text of `deref help config`.
func ConfigHelp() string {
	return description + "\n" + example
}

const description = `The configuration file

deref reads the file that --config or DEREF_CONFIG names, or else $XDG_CONFIG_HOME/deref/config.toml or
~/.config/deref/config.toml. With --config '' or -q it reads none. Flags override the environment, and both
override the file.

The file is TOML. An unknown key is an error. deref refuses a file that other users can write, or that holds a
secret (a password or a secret setting) and other users can read. A pass-command runs once, without a shell,
when its password is needed. The first line of its output is the password, which never appears in a trace, an error
or an argument list.
`
