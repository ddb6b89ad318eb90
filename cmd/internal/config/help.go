package config

import _ "embed" // the example

//go:embed example.toml
var example string

// Help returns the text of `deref help config`. The README has the example, too.
func Help() string {
	return description + "\n" + example
}

const description = `The configuration file

deref reads $XDG_CONFIG_HOME/deref/config.toml, ~/.config/deref/config.toml, or the file that --config or
DEREF_CONFIG names. --config '' and -q read none. Flags override the environment, and both override the file.

The file is TOML. An unknown key is an error. deref refuses a file that other users can write, or that holds a
secret (a password or a secret setting) and other users can read. A pass-command is run without a shell, once, when
its password is needed. The first line that it prints is the password, which no trace, error or argument shows.
`
