package main

import (
	"context"

	"github.com/spf13/pflag"
)

func getCommand(fs *pflag.FlagSet) func(context.Context, *app, []string) error {
	return func(ctx context.Context, a *app, args []string) error { return nil }
}
