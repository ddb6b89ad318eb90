package app

import (
	_ "embed"
	"runtime/debug"
	"strings"
)

// stated is the version of a build for which the go command records none. A release build replaces the file.
//
//go:embed version.txt
var stated string

// Version returns the version that the go command recorded: a tag, or a pseudo-version with the commit. It records none with go run, or for
// sources outside a repository; then Version returns the stated one.
func Version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{}
	}
	return versionOf(info, stated)
}

func versionOf(info *debug.BuildInfo, stated string) string {
	if v := info.Main.Version; v != "" && v != "(devel)" {
		return v
	}
	return strings.TrimSpace(stated)
}
