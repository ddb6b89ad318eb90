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

// A command dereferences the URIs of one command line.
type command struct {
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

func (f *Flags) command(a *app.App, client *fetch.Client, o *fetch.Options) (c *command, err error) {
	c = &command{app: a, flags: f, client: batch.Throttle(client, int64(f.limitRate)), schemes: client.Schemes, charsetOf: client.NameCharset, chosen: client.CheckLink, options: o, progress: f.newProgress(a)}
	dir := f.dir
	switch {
	case dir == "":
		dir = "."
	case f.createDirs:
		c.folder, err = save.CreateDir(dir)
		return c, err
	}
	if f.dir != "" || f.remoteName {
		c.folder, err = save.OpenDir(dir)
	}
	return c, err
}

func (c *command) close() {
	if c.folder != nil {
		c.folder.Close()
	}
}

// everything dereferences the URIs, one after the other or several at a time. If it writes files, it handles signals to clean up.
func (c *command) everything(ctx context.Context, ts []request.Target) error {
	files := c.flags.remoteName || len(c.flags.out) > 0 || c.flags.isMany() || c.flags.Warc != ""
	if files || c.flags.MaxTime > 0 {
		c.app.ReopenStdout()
	}
	if files {
		var stop context.CancelFunc
		ctx, stop = terminal.Interruptible(ctx)
		defer stop()
	}
	if c.flags.isMany() {
		return c.many(ctx, ts)
	}
	return c.all(ctx, ts)
}

// all dereferences every URI, even if some fail. It returns the first error.
func (c *command) all(ctx context.Context, ts []request.Target) error {
	var first error
	for _, t := range ts {
		to := c.place(t.Group)
		to.path = t.Numbered(to.path)
		if err := c.one(ctx, t, to); err != nil {
			if c.archive.Broke() && errors.Is(err, context.Canceled) {
				return err // Finish returns the reason
			}
			c.app.PrintError(t.Subject(c.schemes, len(ts)), c.withHabitHint(t, err))
			first = cmp.Or(first, err)
			if c.flags.failEarly {
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
func (c *command) place(i int) place {
	switch {
	case i < len(c.flags.out):
		return place{path: c.flags.out[i], asked: true}
	case c.flags.remoteName:
		return place{}
	}
	return place{path: "-"}
}

func (c *command) one(ctx context.Context, t request.Target, to place) error {
	switch {
	case t.Err != nil:
		return cmp.Or(t.Err, c.reportInvalid(t.Arg, t.Err))
	case c.flags.link > 0:
		return c.follow(ctx, t.URI, to)
	}
	return c.get(ctx, t.URI, c.options, to)
}

// get dereferences one URI to its place and reports the result.
func (c *command) get(ctx context.Context, u uri.URI, req *fetch.Options, to place) error {
	start := time.Now()
	to.text, to.page = &textCharset{}, &refusal{}
	req, found := c.watch(req)
	r, err := c.save(ctx, u, req, to)
	c.noteGuess(to.text)
	return cmp.Or(err, c.report(to, u, r, found, err, time.Since(start)))
}
