package main

import (
	"context"
	"fmt"
	"runtime"

	"github.com/spf13/pflag"
)

func versionCommand(*pflag.FlagSet) func(context.Context, *app, []string) error {
	return func(_ context.Context, a *app, _ []string) error {
		_, err := fmt.Fprintf(a.out(), "deref %s (%s, %s/%s)\n", version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
		return err
	}
}
