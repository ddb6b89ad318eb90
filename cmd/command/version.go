package command

import (
	"context"
	"fmt"
	"runtime"

	"github.com/spf13/pflag"

	"example.org/deref/cmd/internal/app"
)

func versionCommand(*pflag.FlagSet) action {
	return func(_ context.Context, a *app.App, _ []string) error {
		return a.Print(fmt.Sprintf("deref %s (%s, %s/%s)\n", app.Version(), runtime.Version(), runtime.GOOS, runtime.GOARCH))
	}
}
