package command

import (
	"context"
	"fmt"
	"net/netip"
	"text/tabwriter"

	"github.com/spf13/pflag"

	"example.org/deref/cmd/internal/app"
	"example.org/deref/cmd/internal/flags"
	"example.org/deref/cmd/internal/terminal"
	"example.org/deref/cmd/internal/testservers"
	"example.org/deref/fetch"
	"example.org/deref/schemes"
	"example.org/deref/testdata"
)

func serveCommand(fs *pflag.FlagSet) action {
	var portBase int
	flags.NumberVar(fs, &portBase, "port-base", 0, 0, 65535, "listen on `N` plus each protocol's own port (default: free ports)")
	var only flags.Words
	fs.Var(&only, "only", "serve only the schemes in `LIST`")
	address := netip.MustParseAddr("127.0.0.1")
	fs.TextVar(&address, "listen", address, "listen on `ADDRESS`, which other machines may reach")
	var verbose bool
	fs.BoolVarP(&verbose, "verbose", "v", false, "show on standard error what clients and servers send, without passwords")
	return func(ctx context.Context, a *app.App, args []string) error {
		ctx, stop := terminal.Interruptible(ctx)
		defer stop()
		site, sample := testdata.Site(), len(args) == 0
		if !sample {
			var err error
			if site, err = testservers.OpenTree(args[0]); err != nil {
				return err
			}
		}
		if address.IsUnspecified() {
			return flags.Usage("--listen: must be one address of this machine, since menus contain it")
		}
		list, err := testservers.StartAt(site, address, portBase, only)
		if err != nil {
			hint := ""
			if portBase > 0 {
				hint = "another --port-base N has other ports, and without it they are free ones"
			}
			return &fetch.Error{Kind: fetch.ErrLocal, Text: err.Error(), Hint: hint, Err: err}
		}
		defer testservers.Stop(list)
		if len(list) == 0 {
			return flags.Usage("--only: none of these schemes has a server")
		}
		if verbose {
			testservers.Show(list, schemes.All(nil), terminal.DialogueWriter(a.Stderr, a.Getenv))
		}
		t := tabwriter.NewWriter(a.Out(), 0, 0, 2, ' ', 0)
		for _, r := range list {
			paths := r.Samples()
			if !sample || len(paths) == 0 {
				paths = []string{"/"}
			}
			scheme := r.Scheme
			for _, path := range paths {
				fmt.Fprintf(t, "%s\t%s\n", scheme, r.URL+path)
				scheme = ""
			}
		}
		t.Flush()
		if sample {
			for _, line := range testservers.MailCommands(list) {
				fmt.Fprintln(a.Out(), line)
			}
		}
		fmt.Fprintln(a.Stderr, "serving until interrupted (Ctrl-C); "+audience(address))
		<-ctx.Done()
		return nil
	}
}
