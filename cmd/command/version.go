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
		_, err := fmt.Fprintf(a.Out(), "deref %s (%s, %s/%s)\n", app.Version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
		return err
	}
}
