package main

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/save"
	"example.org/deref/uri"
)

// A getter dereferences the URIs of one command line, each to where it belongs.
type getter struct {
	app     *app
	flags   *getFlags
	client  *fetch.Client
	options *fetch.Options
	folder  *save.Folder
}

func (f *getFlags) getter(a *app, c *fetch.Client, o *fetch.Options) (g *getter, err error) {
	g = &getter{app: a, flags: f, client: c, options: o}
	dir := f.dir
	switch {
	case dir == "":
		dir = "."
	case f.createDirs:
		g.folder, err = save.CreateFolder(dir)
		return g, err
	}
	if f.dir != "" || f.remoteName {
		g.folder, err = save.OpenFolder(dir)
	}
	return g, err
}

func (g *getter) close() {
	if g.folder != nil {
		g.folder.Close()
	}
}

// all dereferences every URI, whatever becomes of the others; the first failure decides.
func (g *getter) all(ctx context.Context, us []uri.URI) error {
	var first error
	for i, u := range us {
		out := "-"
		switch {
		case i < len(g.flags.out):
			out = g.flags.out[i]
		case g.flags.remoteName:
			out = ""
		}
		if err := g.get(ctx, u, out); err != nil {
			g.app.printError(subject(us, u), err)
			first = firstOf(first, err)
		}
		if ctx.Err() != nil {
			break
		}
	}
	return asPrinted(first)
}

// get dereferences one URI into the file out; "" is a name from the URI, "-" standard output.
func (g *getter) get(ctx context.Context, u uri.URI, out string) error {
	start := time.Now()
	r, err := g.save(ctx, u, out)
	if g.flags.json {
		if perr := g.report(u, r, err, time.Since(start)); err == nil {
			err = perr
		}
	}
	return err
}

func (g *getter) save(ctx context.Context, u uri.URI, out string) (save.Result, error) {
	o := &save.Options{
		Folder: g.folder, Path: out, URI: u, ServerName: g.flags.serverName, CreateDirs: g.flags.createDirs, Force: g.flags.force,
		Resume: g.flags.resume == "-", Sync: g.flags.fsync, Sum: g.flags.json,
	}
	if g.flags.resume != "" && !o.Resume {
		n, err := strconv.ParseUint(g.flags.resume, 10, 62)
		if err != nil {
			return save.Result{}, usageError(fmt.Sprintf("-C %s: a number or - is wanted", g.flags.resume))
		}
		o.From = int64(n)
	}
	if err := g.show(o, out); err != nil {
		return save.Result{}, err
	}
	return save.File(ctx, g.client, u, g.options, o)
}

// show settles how the document is shown: what goes before it, and by which view.
func (g *getter) show(o *save.Options, out string) error {
	o.Stdout = g.app.stdout
	if g.flags.json && out == "-" {
		o.Stdout = io.Discard
	}
	if (g.flags.include || g.flags.head) && !g.flags.json {
		o.Opened = func(d *fetch.Document) error {
			return printMetadata(g.app.stdout, d, g.flags.include && !g.flags.head)
		}
	}
	if g.flags.head {
		o.View = func(io.Writer, *fetch.Document) error { return nil }
	}
	return nil
}
