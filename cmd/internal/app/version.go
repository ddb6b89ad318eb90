package app

import (
	_ "embed"
	"runtime/debug"
	"strings"
)

// stated is the version of a build of which the go command knows none. A release build puts its own there.
//
//go:embed version.txt
var stated string

// Version returns what the go command knows of the build: a tag, or a pseudo-version with the commit. It knows nothing with go run, or of
// sources outside a repository: then it is the stated one.
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
