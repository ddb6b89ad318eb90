package main

import (
	"os"
	"path/filepath"

	"github.com/spf13/pflag"

	"example.org/deref/fetch"
)

// addConfig adds what says where the configuration file is: app.loadConfig asks for it before the rest is read.
func addConfig(fs *pflag.FlagSet) {
	fs.String("config", "", "read `FILE` ('' is none) instead of the user's config.toml (deref help config)")
	fs.BoolP("disable", "q", false, "do not read the user's config.toml; a file that --config names is read")
}

// configHome is $XDG_CONFIG_HOME/deref, "" where the environment names no home. A relative one does not count (XDG Base Directory).
func configHome(a *app) string {
	dir := a.getenv("XDG_CONFIG_HOME")
	if !filepath.IsAbs(dir) {
		home := a.getenv("HOME")
		if home == "" {
			return ""
		}
		dir = filepath.Join(home, ".config")
	}
	return filepath.Join(dir, "deref")
}

// configFolder is configHome, made where it is missing.
func configFolder(a *app) (string, error) {
	dir := configHome(a)
	if dir == "" {
		return "", fetch.Errorf(fetch.ErrLocal, "neither XDG_CONFIG_HOME nor HOME is set")
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fetch.Errorf(fetch.ErrLocal, "%w", err)
	}
	return dir, nil
}
