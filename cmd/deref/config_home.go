package main

import (
	"os"
	"path/filepath"
	"runtime"

	"github.com/spf13/pflag"

	"example.org/deref/fetch"
)

// addConfig adds what says where the configuration file is: app.loadConfig asks for it before the rest is read.
func addConfig(fs *pflag.FlagSet) {
	fs.String("config", "", "read `FILE` ('' is none) instead of the user's config.toml (deref help config)")
	fs.BoolP("disable", "q", false, "do not read the user's config.toml; a file that --config names is read")
}

// home returns the user's home directory, "" if the environment names none. A relative one does not count: it would be whatever directory
// the command runs in, where others may have put files.
func home(getenv func(string) string) string {
	dir := getenv("HOME")
	if dir == "" && runtime.GOOS == "windows" {
		dir = getenv("USERPROFILE")
	}
	if !filepath.IsAbs(dir) {
		return ""
	}
	return dir
}

// homeDir returns one of the XDG Base Directories: that of the variable, or the usual one below home; "" if there is neither.
func homeDir(getenv func(string) string, variable, usual string) string {
	if dir := getenv(variable); filepath.IsAbs(dir) {
		return dir
	}
	if home := home(getenv); home != "" {
		return filepath.Join(home, usual)
	}
	return ""
}

// configHome returns $XDG_CONFIG_HOME/deref, "" if the environment names no home.
func configHome(getenv func(string) string) string {
	dir := homeDir(getenv, "XDG_CONFIG_HOME", ".config")
	if dir == "" {
		return ""
	}
	return filepath.Join(dir, "deref")
}

// configFolder is configHome, made where it is missing.
func configFolder(getenv func(string) string) (string, error) {
	dir := configHome(getenv)
	if dir == "" {
		return "", fetch.Errorf(fetch.ErrLocal, "neither XDG_CONFIG_HOME nor HOME is set")
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fetch.Errorf(fetch.ErrLocal, "%w", err)
	}
	return dir, nil
}
