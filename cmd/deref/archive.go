package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"example.org/deref/fetch"
	"example.org/deref/fetch/render"
	"example.org/deref/fetch/warc"
)

// archiveFlags are the flags of writing an archive of what is dereferenced.
type archiveFlags struct {
	warc     string
	warcSize size
	cdx      bool
	fromWarc []string
}

func (f *archiveFlags) add(fs *pflag.FlagSet) {
	fs.Var((*given)(&f.warc), "warc", "write every exchange into the archive `FILE`: .warc, .warc.gz or .warc.zst")
	fs.Var(&f.warcSize, "warc-size", "go on in another archive after `SIZE`: NAME-00000.warc.gz, ...")
	fs.Var((*givenList)(&f.fromWarc), "from-warc", "dereference what was captured in the archive `FILE`, and contact nobody")
	fs.BoolVar(&f.cdx, "cdx", false, "write a CDXJ index beside the archive")
}

// together is how long records wait for others, where nothing but the run itself tells what is done. It is less than one sees, and saves
// a call of the system for most of many short documents.
const together = 100 * time.Millisecond

// An archive is what --warc writes; nil is none.
type archive struct{ *warc.Writer }

// archive lets c dereference from archives, and an archive witness all that c does. done ends it, and says what could not be written.
// The context that it returns ends with the first failure to write: what comes after it would not be in the archive.
//
// With earlier, a list or mirror notes what is done, and goes on with what an earlier run of it has left: unfinished if it was killed,
// finished if it was interrupted.
func (f *archiveFlags) archive(ctx context.Context, a *app, c *fetch.Client, replace bool, earlier noted) (context.Context, *archive, error) {
	if len(f.fromWarc) > 0 {
		from, err := warc.OpenArchive(c.Schemes, f.fromWarc...)
		if err != nil {
			return ctx, nil, err
		}
		for _, d := range from.Damage() {
			fmt.Fprintf(a.stderr, "deref: warning: %s: damaged: octet %d: %s\n", render.Escape(d.ID), d.Offset, render.Escape(d.Text))
		}
		c.Schemes = from.Schemes()
	}
	if f.warc == "" {
		return ctx, nil, nil
	}
	if !isArchiveName(f.warc) {
		return ctx, nil, usageError("--warc " + f.warc + ": a name that ends in .warc, .warc.gz or .warc.zst is wanted, which says how it is packed")
	}
	if slices.ContainsFunc(f.fromWarc, func(name string) bool { return isSameFile(name, f.warc) }) {
		return ctx, nil, usageError("--warc and --from-warc " + f.warc + ": an archive cannot be read and written at a time")
	}
	ctx, stop := context.WithCancelCause(ctx)
	w, err := warc.Create(f.warc, &warc.Options{Size: int64(f.warcSize), Index: f.cdx, Wait: together, Failed: stop, Software: "deref/" + version(),
		Replace: replace && earlier != begun, Resume: earlier != notNoted, Append: earlier == begun})
	if err != nil {
		return ctx, nil, err
	}
	c.Recorder = warc.NewRecorder(w)
	return ctx, &archive{w}, nil
}

// noted is whether a run notes what is done.
type noted int

const (
	notNoted noted = iota
	fresh          // nothing was noted yet
	begun          // by an earlier run
)

// close ends the archive and returns the error to exit with: its own where the run has stopped for that.
func (w *archive) close(ctx context.Context, err error) error {
	if w == nil {
		return err
	}
	werr := w.Close()
	if werr != nil && (errors.Is(err, context.Canceled) || errors.Is(err, werr)) && errors.Is(context.Cause(ctx), werr) {
		return werr
	}
	return errors.Join(err, werr)
}

// broke reports whether the run has stopped because the archive could not be written.
func (w *archive) broke() bool { return w != nil && w.Err() != nil }

// isArchiveName reports whether the name says what is in the file.
func isArchiveName(name string) bool {
	for _, end := range []string{".warc", ".warc.gz", ".warc.zst"} {
		if strings.HasSuffix(name, end) {
			return true
		}
	}
	return false
}

func isSameFile(a, b string) bool {
	x, errA := os.Stat(a)
	y, errB := os.Stat(b)
	return a == b || errA == nil && errB == nil && os.SameFile(x, y)
}
