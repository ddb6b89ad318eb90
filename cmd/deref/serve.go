package main

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"text/tabwriter"

	"github.com/spf13/pflag"

	"example.org/deref/fetch"
	"example.org/deref/testdata"
)

func serveCommand(fs *pflag.FlagSet) func(context.Context, *app, []string) error {
	var portBase int
	numberVar(fs, &portBase, "port-base", 0, 0, 65535, "add each protocol's own port to `N` (default: free ports)")
	var only wordList
	fs.Var(&only, "only", "serve the schemes in `LIST` only")
	return func(ctx context.Context, a *app, args []string) error {
		ctx, stop := interruptible(ctx)
		defer stop()
		site, sample, err := folder(args)
		if err != nil {
			return err
		}
		list, err := startLocals(site, portBase, only)
		if err != nil {
			return fetch.Errorf(fetch.ErrLocal, "%w", err)
		}
		defer stopLocals(list)
		if len(list) == 0 {
			return usageError("--only names no scheme that has a server")
		}
		t := tabwriter.NewWriter(a.out(), 0, 0, 2, ' ', 0)
		for _, r := range list {
			paths := r.samples()
			if !sample || len(paths) == 0 {
				paths = []string{"/"} // where the server is
			}
			scheme := r.scheme
			for _, path := range paths {
				fmt.Fprintf(t, "%s\t%s\n", scheme, r.url+path)
				scheme = ""
			}
		}
		t.Flush()
		if sample {
			for _, line := range mailLines(list) {
				fmt.Fprintln(a.out(), line)
			}
		}
		fmt.Fprintln(a.stderr, "serving until interrupted (Ctrl-C)")
		<-ctx.Done()
		return nil
	}
}

// folder is what serve serves: the folder named, or the sample site.
func folder(args []string) (site fs.FS, sample bool, err error) {
	switch len(args) {
	case 0:
		return testdata.Site(), true, nil
	case 1:
		root, err := os.OpenRoot(args[0])
		if err != nil {
			return nil, false, fetch.Errorf(fetch.ErrLocal, "%w", err)
		}
		return root.FS(), false, nil
	}
	return nil, false, usageError("deref serve takes one folder")
}
