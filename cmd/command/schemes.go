package command

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/pflag"

	"example.org/deref/cmd/internal/app"
	"example.org/deref/cmd/internal/flags"
	"example.org/deref/cmd/internal/request"
	"example.org/deref/fetch"
)

func schemesCommand(fs *pflag.FlagSet) action {
	var f request.Flags
	app.AddConfigFlags(fs)
	asJSON := fs.Bool("json", false, "print a JSON array of objects")
	return func(_ context.Context, a *app.App, _ []string) error {
		all, err := f.Extend(a, a.Schemes(nil))
		switch {
		case err != nil:
			return err
		case *asJSON:
			return printSchemesJSON(a.Out(), all)
		}
		return printSchemes(a.Out(), all)
	}
}

func printSchemes(w io.Writer, all []fetch.Scheme) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, s := range all {
		fmt.Fprintf(t, "%s\t%s\t%s\n", strings.Join(s.Names, " "), strings.Join(s.Does.Words(), " "), flags.MaskLogin(s.Summary))
	}
	return t.Flush()
}

func printSchemesJSON(w io.Writer, all []fetch.Scheme) error {
	type row struct {
		Names       []string `json:"names"`
		Summary     string   `json:"summary"`
		Spec        string   `json:"spec"`
		Does        []string `json:"does"`
		DefaultPort int      `json:"default_port"`
	}
	rows := []row{}
	for _, s := range all {
		rows = append(rows, row{s.Names, flags.MaskLogin(s.Summary), s.Spec, s.Does.Words(), s.Rules.DefaultPort})
	}
	return json.NewEncoder(w).Encode(rows)
}
