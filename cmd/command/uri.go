package command

import (
	"bytes"
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
	name, args, short string
	do                func(w *workbench, args []string) (any, error)
}

func uriOps() []uriOp {
	return []uriOp{
		{"parse", "INPUT", "print the components, as written", onURIs((*workbench).parse)},
		{"resolve", "BASE REF", "make a relative reference absolute", onURIs((*workbench).resolve)},
		{"relativize", "BASE INPUT", "print the shortest relative reference", onURIs((*workbench).relativize)},
		{"normalize", "INPUT", "print the normal form", onURIs((*workbench).normalize)},
		{"equal", "INPUT OTHER", "check whether two URIs are equivalent", onURIs((*workbench).equal)},
		{"escape", "INPUT", "escape a text for a --context", (*workbench).escape},
		{"unescape", "INPUT", "undo escape: print the text", (*workbench).unescape},
		{"encode", "INPUT", "write the same URI within a --safe character set", onURIs((*workbench).encode)},
		{"scheme", "INPUT", "print how the scheme reads the URI", onURIs((*workbench).scheme)},
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

func uriCommand(fs *pflag.FlagSet) action {
	mode := fs.String("mode", "rfc3986", "read URIs by the specification `MODE`")
	asJSON := fs.Bool("json", false, "print the result as a JSON object")
	place := fs.String("context", "segment", "escape, unescape: the `PLACE` of the text is one of "+contextNames())
	safe := fs.String("safe", "rfc3986", "encode: the `SET` of characters: rfc3986, mail, shell or print")
	return func(ctx context.Context, a *app.App, args []string) error {
		w := &workbench{registry: a.Schemes(nil)}
		if len(args) == 0 {
			return flags.Usage("deref uri takes an operation: " + strings.Join(opNames(), ", "))
		}
		if args[0] == "find" && len(args) > 2 {
			return flags.Usage("deref uri find takes [FILE]")
		}
		if args[0] == "find" {
			return findURIs(a, w, args[1:], *mode == "html", *asJSON)
		}
		op, ok := opNamed(args[0])
		if !ok {
			return flags.NotOneOf("deref uri", args[0], fmt.Sprintf("no operation %q; it has %s", args[0], strings.Join(opNames(), ", ")), opNames())
		}
		if len(args)-1 != len(strings.Fields(op.args)) {
			return flags.Usage("deref uri " + op.name + " takes " + op.args)
		}
		if err := flags.CheckOperation(fs, op.name); err != nil {
			return err
		}
		if err := w.set(*mode, *place, *safe); err != nil {
			return err
		}
		result, err := op.do(w, args[1:])
		if err != nil {
			return fetch.Errorf(cmp.Or(fetch.KindOf(err), fetch.ErrRefusedURL), "%w", err)
		}
		if equal, ok := result.(map[string]bool); ok && !equal["equal"] {
			err = app.Printed(errors.New("not equal")) // exit status 1, as with cmp and test
		}
		return cmp.Or(print(a.Out(), result, *asJSON), err)
	}
}

// set parses the values of the flags.
func (w *workbench) set(mode, place, safe string) (err error) {
	if w.mode, err = flags.ParseMode(mode); err != nil {
		return err
	}
	var ok bool
	if w.place, ok = uri.ParseContext(place); !ok {
		return flags.Usage(fmt.Sprintf("--context %s: no such place", place))
	}
	if w.safe, ok = uri.ParseSafe(safe); !ok {
		return flags.Usage(fmt.Sprintf("--safe %s: no such character set", safe))
	}
	return nil
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
	fields := inOrder(b)
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

// inOrder returns the members of a JSON object in their order. The object is one that package json has written, so there are no errors.
func inOrder(object []byte) (fields []field) {
	d := json.NewDecoder(bytes.NewReader(object))
	for d.Token(); d.More(); {
		name, _ := d.Token()
		var raw json.RawMessage
		d.Decode(&raw)
		f := field{fmt.Sprint(name), string(raw), !bytes.HasPrefix(raw, []byte(`"`))}
		json.Unmarshal(raw, &f.value) // only a string changes it
		fields = append(fields, f)
	}
	return fields
}

// findURIs prints the URIs of a text, or of a page, one a line.
func findURIs(a *app.App, w *workbench, args []string, isPage, asJSON bool) error {
	name := "-"
	if len(args) > 0 {
		name = args[0]
	}
	text, err := flags.ReadFile(name, a.Stdin, uri.MaxLen)
	if err != nil {
		return err
	}
	found, err := w.extract(string(text), isPage, uri.URI{})
	if err != nil {
		return fetch.Errorf(fetch.ErrProtocol, "%w", err)
	}
	if asJSON {
		return print(a.Out(), map[string][]string{"uris": found}, true)
	}
	for _, u := range found {
		fmt.Fprintln(a.Out(), render.Escape(u))
	}
	return nil
}
