package config

import _ "embed" // the example

//go:embed example.toml
var example string

// Help is `deref help config`; the README has the example too.
func Help() string {
	return configWords + "\n" + example
}

const configWords = `The configuration file

$XDG_CONFIG_HOME/deref/config.toml, or ~/.config/deref/config.toml, or the file that --config or DEREF_CONFIG names.
--config '' and -q read none. What a flag says goes before what the environment says, and that before the file.

The file is TOML. An unknown key is an error. It is refused where others than its owner can write it, and where it
holds a secret (a password, a secret setting) and others can read it. A pass-command is run without a shell when its
password is needed, once; the first line that it prints is the password, which no trace, error or argument shows.
`
