package request

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"example.org/deref/cmd/internal/app"
	"example.org/deref/cmd/internal/flags"
	"example.org/deref/fetch"
	"example.org/deref/fetch/render"
	"example.org/deref/fetch/warc"
)

// ArchiveFlags are the flags of writing an archive of what is dereferenced.
type ArchiveFlags struct {
	Warc     string
	warcSize flags.Size
	cdx      bool
	FromWarc []string
}

func (f *ArchiveFlags) Add(fs *pflag.FlagSet) {
	fs.Var((*flags.NonEmpty)(&f.Warc), "warc", "write every exchange into the archive `FILE`: .warc, .warc.gz or .warc.zst")
	fs.Var(&f.warcSize, "warc-size", "go on in another archive after `SIZE`: NAME-00000.warc.gz, ...")
	fs.Var((*flags.NonEmptyList)(&f.FromWarc), "from-warc", "dereference what was captured in the archive `FILE`, and contact nobody")
	fs.BoolVar(&f.cdx, "cdx", false, "write a CDXJ index beside the archive")
}

// together is how long records wait for others, where nothing but the run itself tells what is done. It is less than one sees, and saves
// a call of the system for most of many short documents.
const together = 100 * time.Millisecond

// An Archive is what --warc writes; nil is none.
type Archive struct{ *warc.Writer }

// Open lets c dereference from archives, and an archive witness all that c does. done ends it, and says what could not be written.
// The context that it returns ends with the first failure to write: what comes after it would not be in the archive.
//
// With earlier, a list or mirror notes what is done, and goes on with what an earlier run of it has left: unfinished if it was killed,
// finished if it was interrupted.
func (f *ArchiveFlags) Open(ctx context.Context, a *app.App, c *fetch.Client, replace bool, earlier EarlierRun) (context.Context, *Archive, error) {
	if len(f.FromWarc) > 0 {
		from, err := warc.OpenArchive(c.Schemes, f.FromWarc...)
		if err != nil {
			return ctx, nil, err
		}
		for _, d := range from.Damage() {
			fmt.Fprintf(a.Stderr, "deref: warning: %s: damaged: octet %d: %s\n", render.Escape(d.ID), d.Offset, render.Escape(d.Text))
		}
		c.Schemes = from.Schemes()
	}
	if f.Warc == "" {
		return ctx, nil, nil
	}
	if !isArchiveName(f.Warc) {
		return ctx, nil, flags.Usage("--warc " + f.Warc + ": a name that ends in .warc, .warc.gz or .warc.zst is wanted, which says how it is packed")
	}
	if slices.ContainsFunc(f.FromWarc, func(name string) bool { return isSameFile(name, f.Warc) }) {
		return ctx, nil, flags.Usage("--warc and --from-warc " + f.Warc + ": an archive cannot be read and written at a time")
	}
	ctx, stop := context.WithCancelCause(ctx)
	w, err := warc.Create(f.Warc, &warc.Options{Size: int64(f.warcSize), Index: f.cdx, Wait: together, Failed: stop, Software: "deref/" + app.Version(),
		Replace: replace && earlier != Continued, Resume: earlier != Untracked, Append: earlier == Continued})
	if err != nil {
		return ctx, nil, err
	}
	c.Recorder = warc.NewRecorder(w)
	return ctx, &Archive{w}, nil
}

// EarlierRun is whether a run notes what is done.
type EarlierRun int

const (
	Untracked EarlierRun = iota
	FirstRun             // nothing was noted yet
	Continued            // by an earlier run
)

// Finish ends the archive and returns the error to exit with: its own where the run has stopped for that.
func (w *Archive) Finish(ctx context.Context, err error) error {
	if w == nil {
		return err
	}
	werr := w.Close()
	if werr != nil && (errors.Is(err, context.Canceled) || errors.Is(err, werr)) && errors.Is(context.Cause(ctx), werr) {
		return werr
	}
	return errors.Join(err, werr)
}

// Broke reports whether the run has stopped because the archive could not be written.
func (w *Archive) Broke() bool { return w != nil && w.Err() != nil }

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
