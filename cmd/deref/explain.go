package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	hinting "example.org/deref/cmd/internal/hint"
	"example.org/deref/fetch"
	"example.org/deref/fetch/render"
	"example.org/deref/uri"
)

func explainCommand(fs *pflag.FlagSet) func(context.Context, *app, []string) error {
	var f requestFlags
	f.add(fs)
	asJSON := fs.Bool("json", false, "one JSON object per URI")
	op := fs.String("op", "retrieve", "plan `OPERATION`: retrieve, metadata, send, session")
	return func(_ context.Context, a *app, args []string) error {
		o, err := f.options(a)
		if err != nil {
			return err
		}
		if o.Op, err = parseOp(*op); err != nil {
			return err
		}
		ts, err := f.targets(o, args)
		if err != nil {
			return err
		}
		f.planning = true
		c, err := f.client(a)
		if err != nil {
			return err
		}
		var first error
		shown := 0
		for _, t := range ts {
			p, err := planOf(t, c, o)
			if err != nil {
				a.printError(t.subject(c.Schemes, len(ts)), err)
				first = cmp.Or(first, err)
				continue
			}
			if *asJSON {
				err = json.NewEncoder(a.out()).Encode(p)
			} else {
				if shown++; shown > 1 {
					fmt.Fprintln(a.out())
				}
				err = cmp.Or(render.Plan(a.out(), p), a.print(notes(c, t.uri, p)))
			}
			if err != nil {
				return err
			}
		}
		return asPrinted(first)
	}
}

// planOf is the Plan of what the target names.
func planOf(t target, c *fetch.Client, o *fetch.Options) (*fetch.Plan, error) {
	if t.err != nil {
		return nil, t.err
	}
	return c.Plan(t.uri, o)
}

// notes are sentences about what dereferencing does not do by itself.
func notes(c *fetch.Client, u uri.URI, p *fetch.Plan) string {
	var b strings.Builder
	for _, r := range p.Refers {
		if e, ok := errors.AsType[*fetch.Error](c.MayFollow(u, r)); ok {
			fmt.Fprintf(&b, "note     %s\n", render.Escape(strings.TrimSuffix(e.Text+"; "+hinting.Text(e.Hint), "; ")))
		}
	}
	if s, _ := c.Schemes.Lookup(u.Scheme()); s.Does.Sends && p.Options.Op == fetch.Retrieve {
		fmt.Fprintf(&b, "note     deref send hands a message over\n")
	}
	return b.String()
}

func parseOp(word string) (fetch.Op, error) {
	for _, op := range []fetch.Op{fetch.Retrieve, fetch.Metadata, fetch.Send, fetch.Attach} {
		if op.String() == word {
			return op, nil
		}
	}
	return 0, usageError(fmt.Sprintf("--op %s: retrieve, metadata, send or session is wanted", word))
}
