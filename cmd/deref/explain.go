package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"example.org/deref/fetch"
	"example.org/deref/fetch/render"
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
		us, err := f.targets(o, args)
		if err != nil {
			return err
		}
		c, err := f.client(a)
		if err != nil {
			return err
		}
		var first error
		for i, u := range us {
			p, err := c.Plan(u, o)
			if err != nil {
				a.printError(subject(us, u), err)
				first = firstOf(first, err)
				continue
			}
			if *asJSON {
				err = json.NewEncoder(a.stdout).Encode(p)
			} else {
				if i > 0 {
					fmt.Fprintln(a.stdout)
				}
				err = explain(a.stdout, p)
			}
			if err != nil {
				return fetch.Errorf(fetch.ErrDisk, "%w", err)
			}
		}
		return asPrinted(first)
	}
}

func parseOp(word string) (fetch.Op, error) {
	for _, op := range []fetch.Op{fetch.Retrieve, fetch.Metadata, fetch.Send, fetch.Attach} {
		if op.String() == word {
			return op, nil
		}
	}
	return 0, usageError(fmt.Sprintf("--op %s: retrieve, metadata, send or session is wanted", word))
}

// explain prints a plan for people.
func explain(w io.Writer, p *fetch.Plan) error {
	var b strings.Builder
	row := func(name, value string) {
		if value != "" {
			fmt.Fprintf(&b, "%-8s %s\n", name, render.Escape(value))
		}
	}
	row("uri", p.URI.String())
	row("server", server(p))
	row("answer", expected(p))
	for _, r := range p.Refers {
		row("refers", r.URI.String()+"  ("+r.Reason+")")
	}
	steps(&b, p, "", "  ")
	for _, cond := range conditions(p) {
		fmt.Fprintf(&b, "  if %s:\n", render.Escape(cond))
		steps(&b, p, cond, "    ")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// expected says what will come. What only leads on says so.
func expected(p *fetch.Plan) string {
	switch {
	case p.Shape == fetch.ShapeReferral && len(p.Refers) == 0:
		return "referral: the server says where the object is"
	case p.Shape == fetch.ShapeReferral:
		return "referral: a name; dereferencing it tries these in order"
	}
	return strings.TrimSuffix(string(p.Shape)+", "+p.Type, ", ")
}

func server(p *fetch.Plan) string {
	switch {
	case p.Network == "" && len(p.Refers) > 0:
		return "none: the name leads elsewhere"
	case p.Network == "":
		return "none: answered on this machine"
	case p.Network == "exec":
		return "none: a program of this machine"
	case p.TLS == fetch.ImplicitTLS:
		return p.Addr + " (" + p.Network + ", TLS)"
	case p.TLS == fetch.ExplicitTLS:
		return p.Addr + " (" + p.Network + ", then TLS)"
	}
	return p.Addr + " (" + p.Network + ")"
}

// conditions are what the conditional steps depend on, in their order.
func conditions(p *fetch.Plan) (list []string) {
	for _, s := range p.Steps {
		if s.If != "" && !slices.Contains(list, s.If) {
			list = append(list, s.If)
		}
	}
	return list
}

func steps(b *strings.Builder, p *fetch.Plan, cond, indent string) {
	for _, s := range p.When(cond) {
		fmt.Fprintf(b, "%s%s\n", indent, render.Escape(stepText(s)))
	}
}

// stepText is a step as people read it: arguments that hold blanks, or nothing, stand in quotes.
func stepText(s fetch.Step) string {
	words := []string{}
	if s.At != "" {
		words = append(words, "["+s.At+"]")
	}
	if s.Verb != "" {
		words = append(words, s.Verb)
	}
	if s.Secret {
		return strings.Join(append(words, "***"), " ")
	}
	for _, a := range s.Args {
		if a == "" || strings.Contains(a, " ") && s.Verb != "" {
			a = `"` + a + `"`
		}
		words = append(words, a)
	}
	if s.Data != "" {
		words = append(words, fmt.Sprintf("%q", s.Data))
	}
	if s.Repeat != "" {
		words = append(words, "(again until "+strings.TrimPrefix(s.Repeat, "until ")+")")
	}
	return strings.Join(words, " ")
}
