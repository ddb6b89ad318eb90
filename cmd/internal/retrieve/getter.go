package retrieve

import (
	"cmp"
	"context"
	"errors"
	"sync"
	"time"

	"example.org/deref/cmd/internal/app"
	"example.org/deref/cmd/internal/request"
	"example.org/deref/cmd/internal/terminal"
	"example.org/deref/fetch"
	"example.org/deref/fetch/batch"
	"example.org/deref/fetch/charset"
	"example.org/deref/fetch/save"
	"example.org/deref/uri"
)

// A getter dereferences the URIs of one command line.
type getter struct {
	unreachable  sync.Map // servers of a list, with the kinds of error that were printed for them
	found        sync.Map // of a list: what --strict found for an item that failed, by its number
	app          *app.App
	flags        *Flags
	client       fetch.Getter
	charsetOf    func(uri.URI, *fetch.Options) string // of file names
	schemes      fetch.Registry
	chosen       func(from, link uri.URI) error // returns an error if --link must not follow the link
	options      *fetch.Options
	targets      []request.Target // of the command line, if they are fetched several at a time
	folder       *save.Dir
	archive      *request.Archive // nil without --warc
	output       sync.Mutex       // held while one of many writes to standard output
	order        *sequence        // nil unless several documents at a time go to standard output
	verification *verification    // nil if nothing is verified
	weakOnce     sync.Once

	progress *progress // nil if none is shown
}

func (f *Flags) getter(a *app.App, c *fetch.Client, o *fetch.Options) (g *getter, err error) {
	g = &getter{app: a, flags: f, client: batch.Throttle(c, int64(f.limitRate)), schemes: c.Schemes, charsetOf: c.NameCharset, chosen: c.CheckLink, options: o, progress: f.newProgress(a)}
	dir := f.dir
	switch {
	case dir == "":
		dir = "."
	case f.createDirs:
		g.folder, err = save.CreateDir(dir)
		return g, err
	}
	if f.dir != "" || f.remoteName {
		g.folder, err = save.OpenDir(dir)
	}
	return g, err
}

func (g *getter) close() {
	if g.folder != nil {
		g.folder.Close()
	}
}

// everything dereferences the URIs, one after the other or several at a time. If it writes files, it handles signals to clean up.
func (g *getter) everything(ctx context.Context, ts []request.Target) error {
	files := g.flags.remoteName || len(g.flags.out) > 0 || g.flags.isMany() || g.flags.Warc != ""
	if files || g.flags.MaxTime > 0 {
		g.app.ReopenStdout()
	}
	if files {
		var stop context.CancelFunc
		ctx, stop = terminal.Interruptible(ctx)
		defer stop()
	}
	if g.flags.isMany() {
		return g.many(ctx, ts)
	}
	return g.all(ctx, ts)
}

// all dereferences every URI, even if some fail. It returns the first error.
func (g *getter) all(ctx context.Context, ts []request.Target) error {
	var first error
	for _, t := range ts {
		to := g.place(t.Group)
		to.path = t.Numbered(to.path)
		if err := g.one(ctx, t, to); err != nil {
			if g.archive.Broke() && errors.Is(err, context.Canceled) {
				return err // Finish returns the reason
			}
			g.app.PrintError(t.Subject(g.schemes, len(ts)), g.withHabitHint(t, err))
			first = cmp.Or(first, err)
			if g.flags.failEarly {
				break
			}
		}
		if ctx.Err() != nil {
			break
		}
	}
	return app.Printed(first)
}

// A place is the destination of a document.
type place struct {
	page  *refusal     // receives the page of a refusal, for --json; nil if there is none
	path  string       // "" for a name from the URI, "-" for standard output
	asked bool         // chosen by -o, so binary data may go to a terminal
	slot  *slot        // the part of standard output, for one of several
	text  *textCharset // the charset of the document
}

// A textCharset is the charset of a document's text, and how it was found.
type textCharset struct {
	label string
	how   charset.How
	later func() (label string, how charset.How) // asked at the end, if no view has found it
}

func (f *textCharset) set(label string, how charset.How) { f.label, f.how = label, how }

// end returns the charset after the document was read.
func (f *textCharset) end() (label string, how charset.How) {
	if f.label == "" && f.later != nil {
		f.set(f.later())
	}
	return f.label, f.how
}

// place returns the destination for the i-th URI.
func (g *getter) place(i int) place {
	switch {
	case i < len(g.flags.out):
		return place{path: g.flags.out[i], asked: true}
	case g.flags.remoteName:
		return place{}
	}
	return place{path: "-"}
}

func (g *getter) one(ctx context.Context, t request.Target, to place) error {
	switch {
	case t.Err != nil:
		return cmp.Or(t.Err, g.reportInvalid(t.Arg, t.Err))
	case g.flags.link > 0:
		return g.follow(ctx, t.URI, to)
	}
	return g.get(ctx, t.URI, g.options, to)
}

// get dereferences one URI to its place and reports the result.
func (g *getter) get(ctx context.Context, u uri.URI, req *fetch.Options, to place) error {
	start := time.Now()
	to.text, to.page = &textCharset{}, &refusal{}
	req, found := g.watch(req)
	r, err := g.save(ctx, u, req, to)
	g.noteGuess(to.text)
	return cmp.Or(err, g.report(to, u, r, found, err, time.Since(start)))
}
