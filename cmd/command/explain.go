package command

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"example.org/deref/cmd/internal/app"
	"example.org/deref/cmd/internal/flags"
	"example.org/deref/cmd/internal/request"
	"example.org/deref/fetch"
	"example.org/deref/fetch/render"
	"example.org/deref/uri"
)

func explainCommand(fs *pflag.FlagSet) action {
	var f request.Flags
	f.Add(fs)
	asJSON := fs.Bool("json", false, "print one JSON object per URI")
	var op string
	ops := map[string]fetch.Op{"retrieve": fetch.Retrieve, "metadata": fetch.Metadata, "send": fetch.Send, "session": fetch.Attach}
	flags.ChoiceVar(fs, &op, "op", "plan `OPERATION`: retrieve, metadata, send, session", "retrieve", "metadata", "send", "session")
	return func(ctx context.Context, a *app.App, args []string) error {
		f.Planning = true
		c, o, ts, err := f.PrepareAll(ctx, a, args)
		if err != nil {
			return err
		}
		defer c.Close()
		o.Op = ops[op]
		var first error
		shown := 0
		for _, t := range ts {
			p, err := (*fetch.Plan)(nil), t.Err
			if err == nil {
				p, err = c.Plan(t.URI, o)
			}
			if err != nil {
				a.PrintError(t.Subject(c.Schemes, len(ts)), err)
				first = cmp.Or(first, err)
				continue
			}
			if *asJSON {
				err = json.NewEncoder(a.Out()).Encode(p)
			} else {
				if shown++; shown > 1 {
					fmt.Fprintln(a.Out())
				}
				err = cmp.Or(render.Plan(a.Out(), p), a.Print(notes(c, t.URI, p)))
			}
			if err != nil {
				return err
			}
		}
		return app.Printed(first)
	}
}

// notes returns lines about what a plain `deref URI` would not do.
func notes(c *fetch.Client, u uri.URI, p *fetch.Plan) string {
	var b strings.Builder
	for _, r := range p.Refers {
		if e, ok := errors.AsType[*fetch.Error](c.CheckReferral(u, r)); ok {
			fmt.Fprintf(&b, "note     %s\n", render.Escape(strings.TrimSuffix(e.Text+"; "+flags.Hint(e.Hint), "; ")))
		}
	}
	s, _ := c.Schemes.Lookup(u.Scheme())
	switch plain := p.Options.Op == fetch.Retrieve; {
	case plain && s.Does.Sends:
		fmt.Fprintf(&b, "note     deref send sends a message\n")
	case plain && p.Shape == fetch.ShapeSession:
		fmt.Fprintf(&b, "note     the exit status is 13; deref session attaches a terminal\n")
	}
	return b.String()
}
