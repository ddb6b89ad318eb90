package command

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/pflag"

	"example.org/deref/cmd/internal/app"
	"example.org/deref/cmd/internal/flags"
	"example.org/deref/fetch"
	"example.org/deref/fetch/render"
	"example.org/deref/uri"
)

// A uriOp is one operation of `deref uri`.
type uriOp struct {
	name   string
	fields []string // the fields of a row that its arguments set
	short  string
	do     func(w *workbench, r *row) (any, error)
}

func uriOps() []uriOp {
	return []uriOp{
		{"parse", []string{"input"}, "print the components, as written", (*workbench).parse},
		{"resolve", []string{"base", "ref"}, "make a relative reference absolute", (*workbench).resolve},
		{"relativize", []string{"base", "input"}, "print the shortest relative reference", (*workbench).relativize},
		{"normalize", []string{"input"}, "print the normal form", (*workbench).normalize},
		{"equal", []string{"input", "other"}, "check whether two URIs are equivalent", (*workbench).equal},
		{"escape", []string{"input"}, "escape a text for a --context", (*workbench).escape},
		{"unescape", []string{"input"}, "undo escape: print the text", (*workbench).unescape},
		{"encode", []string{"input"}, "write the same URI within a --safe character set", (*workbench).encode},
		{"scheme", []string{"input"}, "print how the scheme reads the URI", (*workbench).scheme},
	}
}

// contextNames lists the values of --context.
func contextNames() string {
	var names []string
	for _, c := range uri.Contexts() {
		names = append(names, c.String())
	}
	return strings.Join(names, ", ")
}

func uriCommand(fs *pflag.FlagSet) func(context.Context, *app.App, []string) error {
	mode := fs.String("mode", "rfc3986", "read URIs by the specification `MODE`")
	asJSON := fs.Bool("json", false, "print the result as a JSON object")
	place := fs.String("context", "segment", "escape, unescape: where the text stands; `PLACE` is one of "+contextNames())
	safe := fs.String("safe", "rfc3986", "encode: the `SET` of characters: rfc3986, mail, shell or print")
	return func(ctx context.Context, a *app.App, args []string) error {
		w := &workbench{a.Schemes(nil)}
		if len(args) == 0 {
			return flags.Usage("deref uri takes an operation: " + strings.Join(opNames(), ", "))
		}
		if args[0] == "find" {
			return findURIs(a, w, args[1:], *mode, *asJSON)
		}
		op, ok := opNamed(args[0])
		if !ok {
			return flags.NotOneOf("deref uri", args[0], fmt.Sprintf("no operation %q; it has %s", args[0], strings.Join(opNames(), ", ")), opNames())
		}
		if len(args)-1 != len(op.fields) {
			return flags.Usage("deref uri " + op.name + " takes " + op.args())
		}
		r := &row{Mode: *mode, Context: *place, Safe: *safe}
		if err := r.knownWords(); err != nil {
			return err
		}
		for i, f := range op.fields {
			r.set(f, args[i+1])
		}
		result, err := op.do(w, r)
		if err != nil {
			return fetch.Errorf(refusal(err), "%w", err)
		}
		return cmp.Or(print(a.Out(), result, *asJSON), outcome(result))
	}
}

// outcome returns an error, for exit status 1, if the result is that two URIs differ, as with cmp and test.
func outcome(result any) error {
	if e, ok := result.(equalResult); ok && !e.Equal {
		return app.Printed(errors.New("not equal"))
	}
	return nil
}

// args returns the arguments as help shows them.
func (o uriOp) args() string { return strings.ToUpper(strings.Join(o.fields, " ")) }

// knownWords returns an error for an unknown flag value.
func (r *row) knownWords() error {
	if _, err := flags.ParseMode(r.Mode); err != nil {
		return err
	}
	if _, ok := uri.ParseContext(r.Context); !ok {
		return flags.Usage(fmt.Sprintf("--context %s: no such place", r.Context))
	}
	if _, ok := uri.ParseSafe(r.Safe); !ok {
		return flags.Usage(fmt.Sprintf("--safe %s: no such character set", r.Safe))
	}
	return nil
}

func refusal(err error) fetch.Kind {
	if k := fetch.KindOf(err); k != "" {
		return k
	}
	return fetch.ErrRefusedURL
}

func opNames() (names []string) {
	for _, o := range uriOps() {
		names = append(names, o.name)
	}
	return append(names, "find")
}

func opNamed(name string) (uriOp, bool) {
	for _, o := range uriOps() {
		if o.name == name {
			return o, true
		}
	}
	return uriOp{}, false
}

// print prints a result: as JSON, or a single value alone, or several as a table.
func print(w io.Writer, result any, asJSON bool) error {
	b, err := json.Marshal(result)
	if err != nil {
		return err
	}
	if asJSON {
		_, err = fmt.Fprintf(w, "%s\n", b)
		return err
	}
	fields, err := inOrder(b)
	if err != nil {
		return err
	}
	for _, f := range fields {
		if len(fields) == 1 {
			fmt.Fprintln(w, render.Escape(f.value))
		} else if f.value != "null" || !f.bare {
			fmt.Fprintf(w, "%-10s %s\n", f.name, render.Escape(f.value))
		}
	}
	return nil
}

type field struct {
	name, value string
	bare        bool // not a JSON string
}

// inOrder returns the members of a JSON object in their order.
func inOrder(object []byte) (fields []field, err error) {
	d := json.NewDecoder(strings.NewReader(string(object)))
	d.Token()
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return nil, err
		}
		var raw json.RawMessage
		if err := d.Decode(&raw); err != nil {
			return nil, err
		}
		f := field{name: fmt.Sprint(name), value: string(raw), bare: true}
		if json.Unmarshal(raw, &f.value) == nil && raw[0] == '"' {
			f.bare = false
		}
		fields = append(fields, f)
	}
	return fields, nil
}

// findURIs prints the URIs of a text, or of a page in mode html, one a line.
func findURIs(a *app.App, w *workbench, args []string, mode string, asJSON bool) error {
	name := "-"
	if len(args) > 0 {
		name = args[0]
	}
	text, err := flags.ReadFile(name, a.Stdin, uri.MaxLen)
	if err != nil {
		return err
	}
	found, err := w.extract(&row{Mode: mode, Input: string(text)})
	if err != nil {
		return fetch.Errorf(fetch.ErrProtocol, "%w", err)
	}
	if asJSON {
		return print(a.Out(), found, true)
	}
	for _, u := range found.(urisResult).URIs {
		fmt.Fprintln(a.Out(), render.Escape(u))
	}
	return nil
}
