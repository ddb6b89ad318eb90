package command

import (
	"context"
	_ "embed"

	"github.com/spf13/pflag"

	"example.org/deref/cmd/internal/app"
	"example.org/deref/cmd/internal/flags"
)

// licenses lists the modules that the command links on any system, with their licenses. To update it after a change of go.mod:
//
//	go test ./cmd/command -run Licenses -update
//
//go:embed licenses.txt
var licenses string

func licensesCommand(*pflag.FlagSet) func(context.Context, *app.App, []string) error {
	return func(_ context.Context, a *app.App, args []string) error {
		if len(args) > 0 {
			return flags.Usage("deref licenses takes no arguments")
		}
		return a.Print(licenses)
	}
}
