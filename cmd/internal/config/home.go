package config

import (
	"os"
	"path/filepath"
	"runtime"

	"github.com/spf13/pflag"

	"example.org/deref/fetch"
)

// AddFlags adds what says where the configuration file is: app.loadConfig asks for it before the rest is read.
func AddFlags(fs *pflag.FlagSet) {
	fs.String("config", "", "read `FILE` ('' is none) instead of the user's config.toml (deref help config)")
	fs.BoolP("disable", "q", false, "do not read the user's config.toml; a file that --config names is read")
}

// Home returns the user's home directory, "" if the environment names none. A relative one does not count: it would be whatever directory
// the command runs in, where others may have put files.
func Home(getenv func(string) string) string {
	dir := getenv("HOME")
	if dir == "" && runtime.GOOS == "windows" {
		dir = getenv("USERPROFILE")
	}
	if !filepath.IsAbs(dir) {
		return ""
	}
	return dir
}

// UserDir returns one of the XDG Base Directories: that of the variable, or the usual one below home; "" if there is neither.
func UserDir(getenv func(string) string, variable, usual string) string {
	if dir := getenv(variable); filepath.IsAbs(dir) {
		return dir
	}
	if home := Home(getenv); home != "" {
		return filepath.Join(home, usual)
	}
	return ""
}

// dir returns $XDG_CONFIG_HOME/deref, "" if the environment names no home.
func dir(getenv func(string) string) string {
	dir := UserDir(getenv, "XDG_CONFIG_HOME", ".config")
	if dir == "" {
		return ""
	}
	return filepath.Join(dir, "deref")
}

// MakeDir is configHome, made where it is missing.
func MakeDir(getenv func(string) string) (string, error) {
	dir := dir(getenv)
	if dir == "" {
		return "", fetch.Errorf(fetch.ErrLocal, "neither XDG_CONFIG_HOME nor HOME is set")
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fetch.Errorf(fetch.ErrLocal, "%w", err)
	}
	return dir, nil
}
