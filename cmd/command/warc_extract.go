package command

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"

	"example.org/deref/cmd/internal/app"
	"example.org/deref/cmd/internal/flags"
	"example.org/deref/cmd/internal/request"
	"example.org/deref/fetch"
	"example.org/deref/fetch/save"
	"example.org/deref/fetch/warc"
	"example.org/deref/uri"
)

// extract writes the document of one record.
func (f *warcFlags) extract(ctx context.Context, a *app.App, _ []warc.File, args []string) error {
	n := len(args) - 1
	named := request.ArchiveFlags{FromWarc: args[:n]}
	defer named.CloseArchives()
	names, err := named.Names(a)
	if err != nil {
		return err
	}
	archive, err := warc.OpenSparse(a.Schemes(nil), names...) // since few documents are wanted
	if err != nil {
		return err
	}
	defer request.WarnOfDamage(a, archive)
	what := strings.TrimSpace(args[n])
	if strings.ContainsAny(what, " \t") {
		if !f.at.IsZero() {
			return flags.Usage("--at chooses among the captures of a URI, and a line of an index names one")
		}
		pick, err := archive.PickLine(what)
		if err != nil {
			return err
		}
		return f.extractPick(ctx, a, archive, pick)
	}
	u, err := uri.Parse(what)
	if err != nil {
		return flags.Usage(fmt.Sprintf("%q is neither a URI nor a line of an index", what))
	}
	if f.raw {
		pick, err := archive.PickURI(u, f.at.Time)
		if err != nil {
			return err
		}
		return f.payload(a, pick)
	}
	ctx, _ = warc.At(ctx, f.at.Time)
	return f.document(ctx, a, archive, u, false)
}

// extractPick writes the record of a line.
func (f *warcFlags) extractPick(ctx context.Context, a *app.App, archive *warc.Archive, pick warc.Pick) error {
	u, err := uri.Parse(pick.URI)
	if f.raw || err != nil || !pick.IsDocument() {
		return f.payload(a, pick)
	}
	return f.document(pick.In(ctx), a, archive, u, true)
}

// document writes a document as a retrieval from the archive does.
func (f *warcFlags) document(ctx context.Context, a *app.App, archive *warc.Archive, u uri.URI, noFollow bool) error {
	c := fetch.New(archive.Schemes()...)
	defer c.Close()
	c.Policy.NoFollow = noFollow
	_, err := save.File(ctx, c, u, nil, &save.Options{Path: cmp.Or(f.output, "-"), Stdout: a.Out()})
	return err
}

// payload writes what a record contains.
func (f *warcFlags) payload(a *app.App, pick warc.Pick) error {
	in, err := pick.Payload()
	if err != nil {
		return err
	}
	defer in.Close()
	return f.toOutput(a, func(w io.Writer) error {
		_, err := io.Copy(w, in)
		return err
	})
}

// pack writes a WACZ package.
func (f *warcFlags) pack(_ context.Context, a *app.App, files []warc.File, _ []string) error {
	if !strings.HasSuffix(f.output, ".wacz") && f.output != "-" {
		return flags.Usage("deref warc pack needs -o NAME.wacz, or -o - for standard output")
	}
	var first error
	o := &warc.PackOptions{Title: f.title, Software: "deref/" + app.Version(), Damaged: f.damaged(a, &first)}
	err := f.toOutput(a, func(w io.Writer) error { return warc.Pack(w, o, files) })
	return cmp.Or(err, app.Printed(first))
}

// damaged returns a function that warns of each damaged part of an archive, and keeps the first as an error.
func (f *warcFlags) damaged(a *app.App, first *error) func(warc.Fault) {
	return func(d warc.Fault) {
		var damaged error = fetch.Errorf(fetch.ErrProtocol, "%s: damaged at byte %d: %s", d.ID, d.Offset, d.Text)
		a.Warn(damaged)
		*first = cmp.Or(*first, damaged)
	}
}
