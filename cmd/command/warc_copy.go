package command

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"example.org/deref/cmd/internal/app"
	"example.org/deref/cmd/internal/flags"
	"example.org/deref/cmd/internal/request"
	"example.org/deref/fetch"
	"example.org/deref/fetch/render"
	"example.org/deref/fetch/save"
	"example.org/deref/fetch/warc"
)

// toOutput writes to -o, or to standard output.
func (f *warcFlags) toOutput(a *app.App, write func(io.Writer) error) error {
	if f.output == "" || f.output == "-" {
		return buffered(a, write)
	}
	lost, err := save.Rewrite(f.output, 0o666, write)
	a.Warn(lost)
	return err
}

// index writes a CDXJ index of all archives.
func (f *warcFlags) index(_ context.Context, a *app.App, files []warc.File, _ []string) error {
	var first error
	err := f.toOutput(a, func(w io.Writer) error {
		return warc.WriteIndex(w, "", files, f.damaged(a, &first))
	})
	return cmp.Or(err, app.Printed(first))
}

// filter copies the captures that the flags select.
func (f *warcFlags) filter(_ context.Context, a *app.App, files []warc.File, _ []string) error {
	want, err := f.captures.want()
	if err != nil {
		return err
	}
	return f.copy(a, files, &warc.CopyOptions{Want: want})
}

// merge copies everything.
func (f *warcFlags) merge(_ context.Context, a *app.App, files []warc.File, _ []string) error {
	return f.copy(a, files, &warc.CopyOptions{})
}

// copy writes records of archives into one or more others. Damage in the archives is the error to exit with, after everything else has been copied.
func (f *warcFlags) copy(a *app.App, files []warc.File, o *warc.CopyOptions) error {
	o.Name, o.Size = f.output, int64(f.size)
	toStdout := f.output == "" || f.output == "-"
	switch {
	case toStdout && o.Size > 0:
		return flags.Usage("--size needs -o NAME.warc.gz, from which the names of several archives are made")
	case toStdout:
		o.Name = "" // the compression of the first archive
	default:
		if err := checkOutput(f.output, files); err != nil {
			return err
		}
	}
	o.Report = func(x warc.Fault) { a.Warn(fmt.Errorf("byte %d: %s: %s", x.Offset, x.ID, x.Text)) }
	c, err := warc.ReadCatalog("", files)
	if err != nil {
		return err
	}
	defer c.Close()
	var n warc.Copied
	if toStdout {
		n, err = copyOut(a, c, o)
	} else {
		n, err = c.CopyTo(o)
	}
	if err != nil {
		return err
	}
	if !toStdout {
		fmt.Fprintf(a.Out(), "%s: %d of %d records copied, %d bytes%s\n", f.output, n.Records, c.Count, n.Bytes, leftOut(n))
	}
	return f.lossError(a, c)
}

// leftOut describes what was not copied.
func leftOut(n warc.Copied) string {
	var b strings.Builder
	if n.Files > 1 {
		fmt.Fprintf(&b, ", %d archives", n.Files)
	}
	if n.Repeated > 0 {
		fmt.Fprintf(&b, ", %d with the ID of an earlier one", n.Repeated)
	}
	if n.Missing > 0 {
		fmt.Fprintf(&b, ", %d revisits without their originals", n.Missing)
	}
	return b.String()
}

// lossError warns of each damaged part, and returns an error if there is one.
func (f *warcFlags) lossError(a *app.App, c *warc.Catalog) error {
	for _, l := range c.Damage {
		a.Warn(fmt.Errorf("%s", l))
	}
	if len(c.Damage) > 0 {
		return fetch.Errorf(fetch.ErrProtocol, "%s is damaged", c.Damage[0].Name)
	}
	return nil
}

// checkOutput returns an error if the name of a new archive cannot be used.
func checkOutput(name string, files []warc.File) error {
	if !warc.IsName(name) {
		return request.BadArchiveName("-o", name)
	}
	for _, in := range files {
		is, err := os.Stat(name)
		old, oerr := os.Stat(in.Path)
		if err == nil && oerr == nil && os.SameFile(is, old) {
			return flags.Usage("-o " + name + " is one of the archives that are read")
		}
	}
	return nil
}

// mend reports the damage of an archive, and with -o writes its complete records. If these go to standard output, the report does not.
func (f *warcFlags) mend(_ context.Context, a *app.App, files []warc.File, args []string) error {
	switch {
	case len(args) != 1:
		return flags.Usage("deref warc mend takes one FILE")
	case len(files) != 1:
		return flags.Usage("deref warc mend takes one archive, but " + args[0] + " has several")
	}
	c, err := warc.ReadCatalog("", files)
	if err != nil {
		return err
	}
	defer c.Close()
	report := a.Out()
	if f.output == "-" {
		report = a.Stderr
	}
	reportDamage(report, files[0].Name(), c)
	if f.output == "" {
		if len(c.Damage) > 0 {
			return &fetch.Error{Kind: fetch.ErrProtocol, Text: files[0].Name() + " is damaged", Hint: "deref warc mend -o NEW.warc.gz " + args[0] + " writes what is complete"}
		}
		return nil
	}
	o := &warc.CopyOptions{Name: f.output, Repeated: true}
	if f.output == "-" {
		o.Name = ""
		_, err = copyOut(a, c, o)
		return err
	}
	if !warc.IsName(f.output) && (f.output != args[0] || files[0].Name() != files[0].Path) {
		return request.BadArchiveName("-o", f.output)
	}
	_, err = c.CopyTo(o)
	return err
}

// copyOut copies records to standard output.
func copyOut(a *app.App, c *warc.Catalog, o *warc.CopyOptions) (n warc.Copied, err error) {
	err = buffered(a, func(w io.Writer) (err error) {
		n, err = c.Copy(o, func(_ int, write func(io.Writer) error) error { return write(w) })
		return err
	})
	return n, err
}

// reportDamage prints what is wrong with an archive.
func reportDamage(w io.Writer, name string, c *warc.Catalog) {
	for _, x := range c.Faults {
		fmt.Fprintf(w, "%s: %s\n", name, render.Escape(x.String()))
	}
	var lost int64
	for _, l := range c.Damage {
		lost += l.To - l.From
		fmt.Fprintln(w, render.Escape(l.String()))
	}
	fmt.Fprintf(w, "%s: %d complete records, %d damaged parts with %d bytes\n", name, c.Count, len(c.Damage), lost)
}
