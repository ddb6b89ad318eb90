package retrieve

import (
	"cmp"
	"context"
	"errors"
	"sync"

	"example.org/deref/cmd/internal/app"
	"example.org/deref/cmd/internal/request"
	"example.org/deref/cmd/internal/terminal"
	"example.org/deref/fetch"
	"example.org/deref/fetch/batch"
	"example.org/deref/fetch/save"
	"example.org/deref/uri"
)

// A command dereferences the URIs of one command line.
type command struct {
	unreachable  sync.Map  // servers of a list, with the kinds of error that were printed for them
	done         sync.Pool // retrievals of which nothing is needed any more
	failed       sync.Map  // of a list: the latest retrieval of an item that has failed, by its number, for its report
	app          *app.App
	flags        *Flags
	client       fetch.Getter
	charsetOf    func(uri.URI, *fetch.Options) string // of file names
	schemes      fetch.Registry
	chosen       func(from, link uri.URI) error // returns an error if --link must not follow the link
	options      *fetch.Options
	targets      []request.Target // of the command line
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

// run dereferences the URIs, one after the other or several at a time. If it writes files, it handles signals to clean up.
func (c *command) run(ctx context.Context, ts []request.Target) error {
	c.targets = ts
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
		return c.runMany(ctx)
	}
	return c.runInOrder(ctx)
}

// runInOrder dereferences one URI after the other, even if some fail. It returns the first error.
func (c *command) runInOrder(ctx context.Context) error {
	var first error
	for i, t := range c.targets {
		if err := ctx.Err(); err != nil {
			return cmp.Or(app.Printed(first), err)
		}
		err := t.Err
		if err != nil {
			c.reportInvalid(t.Arg, err)
		} else {
			r := c.retrieval(ctx, &batch.Item{URI: t.URI, Number: int64(i)})
			stop := c.progress.start()
			err = r.dereference()
			stop()
			err = cmp.Or(err, r.report(err))
		}
		if err != nil {
			if c.archive.Broke() && errors.Is(err, context.Canceled) {
				return err // Finish returns the reason
			}
			c.app.PrintError(t.Subject(c.schemes, len(c.targets)), c.withHabitHint(t, err))
			first = cmp.Or(first, err)
			if c.flags.failEarly {
				break
			}
		}
	}
	return app.Printed(first)
}

// placeOf returns the path for an item's document, and whether -o has chosen it. The path is "" for a name from the URI, and "-" for standard output.
func (c *command) placeOf(it *batch.Item) (path string, asked bool) {
	if it.Number < int64(len(c.targets)) {
		if t := c.targets[it.Number]; t.Group < len(c.flags.out) {
			return t.Numbered(c.flags.out[t.Group]), true
		}
	}
	if c.flags.remoteName || it.Name != "" {
		return "", false
	}
	return "-", false
}
