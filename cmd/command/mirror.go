package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/pflag"

	"example.org/deref/cmd/internal/app"
	"example.org/deref/cmd/internal/flags"
	"example.org/deref/cmd/internal/request"
	"example.org/deref/cmd/internal/terminal"
	"example.org/deref/fetch"
	"example.org/deref/fetch/batch"
	"example.org/deref/fetch/mirror"
	"example.org/deref/fetch/render"
	"example.org/deref/fetch/retry"
	"example.org/deref/fetch/scope"
	"example.org/deref/fetch/warc"
)

// mirrorFlags are the flags of the mirror command.
type mirrorFlags struct {
	request.Flags
	request.ArchiveFlags
	mirror.Options
	depth, most int
	manner
	limitRate flags.Size
	maxDelete string
	verbose   bool
	silent    bool
	disk      sync.Map // the causes of ErrDisk that were printed
}

func (f *mirrorFlags) addScope(fs *pflag.FlagSet) {
	flags.NumberVar(fs, &f.depth, "depth", 1000, 0, math.MaxInt, "follow links at most `N` steps from the root")
	flags.NumberVar(fs, &f.most, "max-count", 0, 1, math.MaxInt, "request at most `N` URIs in one run")
	fs.BoolVar(&f.SpanHosts, "span-hosts", false, "follow links to other servers, of any scheme")
	fs.BoolVar(&f.NoParent, "no-parent", false, "stay below the directory of the root")
	fs.BoolVar(&f.Requisites, "requisites", false, "also copy what pages embed (images, CSS, fonts, scripts, frames) outside of --no-parent, --depth, --include")
	patternsVar(fs, &f.RequisiteHosts, true, "requisites-host", "with --requisites: also from hosts that match `PATTERN`, such as *.example or *")
	patternsVar(fs, &f.Include, true, "include", "copy only what `PATTERN` matches: a glob of the name, or of the path if it has a slash, or re:REGEXP of the URI")
	patternsVar(fs, &f.Exclude, true, "exclude", "skip what `PATTERN` matches; a directory is skipped with its contents")
	fs.BoolVar(&f.IgnoreRobots, "ignore-robots", false, "do not request robots.txt (http, gopher, gemini)")
	fs.BoolVar(&f.Delete, "delete", false, "remove copies of documents that the server reports as gone, and list them")
	fs.StringVar(&f.maxDelete, "max-delete", "", "with --delete: remove nothing if more than `N`, or N%, of the copies would be removed (50%; no limit for up to 10 copies)")
}

func (f *mirrorFlags) addManner(fs *pflag.FlagSet) {
	fs.BoolVar(&f.DryRun, "dry-run", false, "print what would be done; fetch only listings, menus and pages")
	fs.BoolVar(&f.KeepLinks, "keep-links", false, "keep links unchanged, instead of pointing them to local copies")
	fs.BoolVar(&f.Extensions, "adjust-extension", false, "add .html, .css, .svg, .xml, .gmi or .txt to names of copies that lack the extension of their media type")
	fs.BoolVar(&f.NoIndex, "no-index", false, "create no index.html in directories without one")
	f.manner.add(fs, 2)
	fs.Var(&f.limitRate, "limit-rate", "receive at most `RATE` bytes a second in total")
	fs.BoolVar(&f.Portable, "portable-names", false, "use file names that every system allows (always on Windows and macOS)")
	fs.BoolVarP(&f.verbose, "verbose", "v", false, "print a line for each URI")
	fs.BoolVarP(&f.silent, "silent", "s", false, "print no summary")
}

// manner holds the flags of deref check and deref mirror that decide how they make requests.
type manner struct {
	parallel, perHost, retries int
	pause                      flags.Pause
}

// add adds the flags. retries is the default of --retry.
func (f *manner) add(fs *pflag.FlagSet, retries int) {
	flags.NumberVar(fs, &f.parallel, "parallel-max", 0, 1, flags.MaxParallel, "make at most `N` requests at a time (50)")
	flags.NumberVar(fs, &f.perHost, "parallel-max-host", 0, 1, flags.MaxParallel, "at most `N` at a time on one host (2, and up to 4 if documents take no longer; 1 with --pause)")
	fs.Var(&f.pause, "pause", "wait `SECONDS` after each response from a host before the next request to it")
	flags.NumberVar(fs, &f.retries, "retry", retries, 0, math.MaxInt, "retry temporary failures up to `N` times")
}

func (f *manner) batch() batch.Options {
	return batch.Options{Parallel: f.parallel, PerHost: f.perHost, Pause: time.Duration(f.pause), Retry: retry.Policy{Retries: f.retries}}
}

func mirrorCommand(fs *pflag.FlagSet) action {
	var f mirrorFlags
	flags.AddSections(fs, append([]flags.Section{{Title: "What is mirrored", Add: f.addScope}, {Title: "How", Add: f.addManner}, {Title: "Archives", Add: f.ArchiveFlags.Add}}, f.Flags.Sections()...))
	return f.run
}

func (f *mirrorFlags) run(ctx context.Context, a *app.App, args []string) error {
	c, o, u, err := f.Prepare(ctx, a, args[0])
	if err != nil {
		return err
	}
	defer c.Close()
	if err := f.fill(a, c, o); err != nil {
		return err
	}
	earlier := request.FirstRun
	if mirror.Interrupted(args[1]) {
		earlier = request.Continued
	}
	request.WarnOfSecrets(a, c, f.Warc)
	defer f.CloseArchives()
	if f.Robots = "classic"; f.IgnoreRobots {
		f.Robots = "ignore"
	}
	ctx, archived, err := f.Open(ctx, a, c, false, earlier)
	if err != nil {
		return err
	}
	if archived != nil {
		f.Commit = archived.Sync
	}
	if f.From != nil {
		f.fromArchive()
	}
	ctx, stop := terminal.Interruptible(ctx)
	defer stop()
	defer app.HeapFloor(app.ManyDocuments)()
	sum, err := mirror.Run(ctx, c, u, args[1], &f.Options)
	if many, ok := errors.AsType[*mirror.TooManyError](err); ok {
		err = &fetch.Error{Kind: fetch.KindOf(err), Text: err.Error(), Hint: "--max-delete N or N% allows more; --dry-run lists them", Err: many}
	}
	if err != nil && !archived.Broke() && !f.repeats(err) {
		a.PrintError("", err)
	}
	if !f.silent && sum.Time > 0 { // it has begun
		fmt.Fprintln(a.Stderr, "deref: "+f.mirrored(&sum))
	}
	if archived.Broke() {
		return archived.Finish(ctx, err)
	}
	return archived.Finish(ctx, errors.Join(app.Printed(cmp.Or(err, sum.First)), f.SaveCookies(a)))
}

// fill sets the mirror.Options from the flags.
func (f *mirrorFlags) fill(a *app.App, c *fetch.Client, o *fetch.Options) (err error) {
	m := &f.Options
	if m.Depth = f.depth; f.depth == 0 {
		m.Depth = -1 // the root alone
	}
	m.Number = int64(f.most)
	m.Requisites = m.Requisites || len(m.RequisiteHosts) > 0
	if f.maxDelete != "" {
		if m.MaxDelete, err = mirror.ParseBound(f.maxDelete); err != nil {
			return flags.Usage("--max-delete: " + err.Error())
		}
	}
	if date := o.Get("news.since"); date != "" {
		if m.Since, err = request.ParseDate(date); err != nil {
			return err
		}
	}
	m.Batch = f.batch()
	m.Request, m.Getter = o, batch.Throttle(c, int64(f.limitRate))
	m.Done = func(e mirror.Event) { f.report(a, c, e) }
	return nil
}

// fromArchive sets the mirror.Options for documents from an archive. It needs neither politeness nor other attempts.
func (f *mirrorFlags) fromArchive() {
	f.IgnoreRobots = true
	f.Batch.Pause, f.Batch.Retry = 0, retry.Policy{}
	f.Begin = func(ctx context.Context) (context.Context, func() time.Time) {
		ctx, moment := warc.At(ctx, f.At.Time)
		return ctx, func() time.Time {
			if _, date, ok := moment.Captured(); ok {
				return date
			}
			return time.Now()
		}
	}
	f.Lacks = func(err error) string {
		if _, ok := errors.AsType[*warc.MissingError](err); ok {
			return "not in the archive"
		}
		return ""
	}
}

// patternsVar adds a flag whose value is a pattern. Each use of the flag adds one. hasTop reports whether paths have a beginning.
func patternsVar(fs *pflag.FlagSet, to *scope.Patterns, hasTop bool, name, usage string) {
	flags.ParsedVar(fs, (*[]scope.Pattern)(to), name, usage, func(v string) (scope.Pattern, error) { return scope.ParsePattern(v, hasTop) })
}

// repeats reports whether an error of the disk with the same cause was reported before: a full disk fails in the same way for each document that
// is in progress, and for the manifest.
func (f *mirrorFlags) repeats(err error) bool {
	cause, ok := errors.AsType[syscall.Errno](err)
	if fetch.KindOf(err) != fetch.ErrDisk || !ok {
		return false
	}
	_, again := f.disk.LoadOrStore(cause, true)
	return again
}

// report prints the result for one URI.
func (f *mirrorFlags) report(a *app.App, c *fetch.Client, e mirror.Event) {
	name := c.Schemes.Redact(e.URI)
	if e.Err != nil {
		if !f.repeats(e.Err) {
			a.PrintError(name, e.Err)
		}
		return
	}
	if e.Suspect != "" {
		a.Warn(errors.New(name + ": " + e.Suspect))
	}
	if e.Warn {
		a.Warn(errors.New(name + ": " + e.Why))
	}
	if f.verbose || e.Did == mirror.Deleted || f.DryRun && e.Did != mirror.Read && e.Did != mirror.Unchanged {
		fields := slices.DeleteFunc([]string{f.planned(e.Did), name, e.Path, e.Why}, func(s string) bool { return s == "" })
		for i, s := range fields {
			fields[i] = render.Escape(s)
		}
		io.WriteString(a.Out(), strings.Join(fields, "\t")+"\n")
	}
}

// planned returns what was done, or with DryRun, what would be.
func (f *mirrorFlags) planned(did mirror.Did) string {
	changes := did == mirror.Saved || did == mirror.Linked || did == mirror.Deleted
	if f.DryRun && changes {
		return "to be " + string(did)
	}
	return string(did)
}

// mirrored returns the summary line.
func (f *mirrorFlags) mirrored(s *mirror.Summary) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d documents %s, %s in %s; %d unchanged", s.Saved, f.planned(mirror.Saved), terminal.FormatBytes(s.Bytes),
		s.Time.Round(10*time.Millisecond), s.Unchanged)
	for _, part := range []struct {
		n    int64
		what string
	}{{s.Earlier, "of earlier runs"}, {s.Linked, "links"}, {s.Deleted, f.planned(mirror.Deleted)}, {s.Kept, "kept, which the server does not report as gone"}, {s.LeftOut, "skipped"}, {s.Suspect, "suspect"}, {s.Failed, "failed"}} {
		if part.n > 0 {
			fmt.Fprintf(&b, ", %d %s", part.n, part.what)
		}
	}
	if s.Resumed {
		b.WriteString("; continued an interrupted run")
	}
	return b.String()
}
