package request

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"example.org/deref/cmd/internal/app"
	"example.org/deref/cmd/internal/flags"
	"example.org/deref/fetch"
	"example.org/deref/fetch/mirror"
	"example.org/deref/fetch/warc"
	"example.org/deref/uri"
)

// ArchiveFlags are the flags of writing and reading archives.
type ArchiveFlags struct {
	Warc     string
	warcSize flags.Size
	cdx      bool
	FromWarc flags.NonEmptyList
	mirror   string
	copied   *mirror.Copy
	At       CaptureTime
	spooled  []spooled
	dedup    flags.NonEmptyList
	known    *warc.Known
	info     []warc.Field
	flags    *pflag.FlagSet // all of the command
	From     *warc.Archive  // those of FromWarc after Open, or nil

	// Robots is the robots policy of the command, for the description of the archive.
	Robots string

	// ForReaders is set if others than the user request the documents: the cookies that servers set, and the names of logins, are blanked.
	ForReaders bool
}

func (f *ArchiveFlags) Add(fs *pflag.FlagSet) {
	flags.TextVar(fs, &f.Warc, "warc", "", "record every exchange in the archive `FILE`: .warc, .warc.gz or .warc.zst")
	f.flags = fs
	flags.ParsedVar(fs, &f.info, "warc-header", "with --warc: describe the archive by `KEY=VALUE`, such as operator=NAME", parseInfo)
	fs.Var(&f.warcSize, "warc-size", "start another archive after `SIZE`: NAME-00000.warc.gz, ...")
	fs.Var(&f.FromWarc, "from-warc", "dereference from the archive `FILE`, directory or pattern, and contact no server")
	flags.TextVar(fs, &f.mirror, "from-mirror", "", "dereference from the copies in the mirror `DIR`, and contact no server")
	fs.Var(&f.At, "at", "use the captures nearest to `DATE`, such as 2026-11-23T06:44:52Z")
	fs.Var(&f.dedup, "warc-dedup", "with --warc: do not write again what the index, archive or directory `FILE` has")
	fs.BoolVar(&f.cdx, "cdx", false, "write a CDXJ index next to the archive")
}

// together is how long records wait for others before they are written. It is too short to be noticed, and saves a system call for most of many
// short documents.
const together = 100 * time.Millisecond

// An Archive is the archive of --warc. A nil *Archive stands for none.
type Archive struct{ *warc.Writer }

// Open makes c dereference from the archives of --from-warc, and record everything in the archive of --warc. The context that it returns ends
// with the first failure to write, because later exchanges would be missing in the archive.
//
// If earlier is not Untracked, a list or mirror records its progress, and the archive of an earlier run is continued. It is unfinished if that
// run was killed, and finished if it was interrupted.
func (f *ArchiveFlags) Open(ctx context.Context, a *app.App, c *fetch.Client, replace bool, earlier EarlierRun) (context.Context, *Archive, error) {
	var err error
	if f.From, err = f.openFrom(a, c.Schemes); err != nil {
		return ctx, nil, err
	}
	if f.From != nil {
		c.Schemes = f.From.Schemes()
		ctx, _ = warc.At(ctx, f.At.Time)
	}
	if f.mirror != "" {
		if f.copied, err = mirror.OpenCopy(f.mirror, c.Schemes); err != nil {
			return ctx, nil, err
		}
		c.Schemes = f.copied.Schemes()
	}
	if f.Warc == "" {
		return ctx, nil, nil
	}
	if !warc.IsName(f.Warc) {
		return ctx, nil, BadArchiveName("--warc", f.Warc)
	}
	if err := f.openKnown(c.Schemes); err != nil {
		return ctx, nil, err
	}
	tooLong := func(u uri.URI) {
		a.Warn(fmt.Errorf("%s does not contain %.80s..., whose URI has more than 1 MiB", f.Warc, c.Schemes.Redact(u)))
	}
	ctx, stop := context.WithCancelCause(ctx)
	w, err := warc.Create(f.Warc, &warc.Options{Size: int64(f.warcSize), Index: f.cdx, Wait: together, Failed: stop, TooLong: tooLong,
		Software: "deref/" + app.Version(), Info: f.described(a), Log: true, Replace: replace && earlier != Continued, Resume: earlier != Untracked,
		Append: earlier == Continued, Known: f.known, HideCookies: f.ForReaders, HideUsers: f.ForReaders})
	if err != nil {
		return ctx, nil, err
	}
	if f.known != nil {
		c.Schemes = f.known.Schemes(c.Schemes)
	}
	c.Recorder = warc.NewRecorder(w)
	return ctx, &Archive{w}, nil
}

// BadArchiveName returns the error of a flag with a name that an archive cannot have.
func BadArchiveName(flag, name string) error {
	text := flag + " " + name + ": the name must end in .warc, .warc.gz or .warc.zst, which selects the compression"
	if strings.HasSuffix(name, ".wacz") {
		text += "; deref warc pack makes a WACZ package of archives"
	}
	return flags.Usage(text)
}

// An EarlierRun describes whether a run records its progress, and whether an earlier run did.
type EarlierRun int

const (
	Untracked EarlierRun = iota
	FirstRun             // nothing is recorded yet
	Continued            // an earlier run has recorded its progress
)

// Finish closes the archive and returns the error to exit with: the archive's own error if that has stopped the run. After an error, an archive without
// a record is removed, so that it does not prevent the next run.
func (w *Archive) Finish(ctx context.Context, err error) error {
	if w == nil {
		return err
	}
	end := w.Close
	if err != nil {
		end = w.Discard
	}
	werr := end()
	if werr != nil && (errors.Is(err, context.Canceled) || errors.Is(err, werr)) && errors.Is(context.Cause(ctx), werr) {
		return werr
	}
	return errors.Join(err, werr)
}

// Broke reports whether the run has stopped because the archive could not be written.
func (w *Archive) Broke() bool { return w != nil && w.Err() != nil }

func isSameFile(a, b string) bool {
	x, errA := os.Stat(a)
	y, errB := os.Stat(b)
	return a == b || errA == nil && errB == nil && os.SameFile(x, y)
}
