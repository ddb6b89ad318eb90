package main

import (
	"context"
	_ "embed"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/pflag"
)

func versionCommand(*pflag.FlagSet) func(context.Context, *app, []string) error {
	return func(_ context.Context, a *app, _ []string) error {
		_, err := fmt.Fprintf(a.out(), "deref %s (%s, %s/%s)\n", version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
		return err
	}
}

// stated is the version of a build of which the go command knows none. A release build puts its own there.
//
//go:embed version.txt
var stated string

// version returns what the go command knows of the build: a tag, or a pseudo-version with the commit. It knows nothing with go run, or of
// sources outside a repository: then it is the stated one.
func version() string {
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
