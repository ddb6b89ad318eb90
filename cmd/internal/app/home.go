package app

import (
	"os"
	"path/filepath"
	"runtime"

	"github.com/spf13/pflag"

	"example.org/deref/fetch"
)

// AddConfigFlags adds the flags that choose the configuration file. LoadConfig reads them before all others.
func AddConfigFlags(fs *pflag.FlagSet) {
	fs.String("config", "", "read `FILE` instead of the user's config.toml; '' reads none (deref help config)")
	fs.BoolP("disable", "q", false, "do not read the user's config.toml, but still the file of --config")
}

// Home returns the user's home directory. It returns "" if the environment names none, or a relative one: that would be the directory in which
// the command runs, where other users may have put files.
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

// dir returns $XDG_CONFIG_HOME/deref, or ~/.config/deref. It returns "" if the environment names no home directory.
func dir(getenv func(string) string) string {
	if dir := getenv("XDG_CONFIG_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "deref")
	}
	if home := Home(getenv); home != "" {
		return filepath.Join(home, ".config", "deref")
	}
	return ""
}

// MakeDir returns $XDG_CONFIG_HOME/deref, and creates it if it is missing.
func MakeDir(getenv func(string) string) (string, error) {
	dir := dir(getenv)
	if dir == "" {
		return "", fetch.Errorf(fetch.ErrLocal, "neither XDG_CONFIG_HOME nor HOME is set")
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	return dir, nil
}
