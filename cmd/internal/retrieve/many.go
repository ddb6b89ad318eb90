package retrieve

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"example.org/deref/cmd/internal/app"
	"example.org/deref/cmd/internal/flags"
	"example.org/deref/cmd/internal/request"
	"example.org/deref/cmd/internal/terminal"
	"example.org/deref/fetch"
	"example.org/deref/fetch/batch"
	"example.org/deref/fetch/retry"
	"example.org/deref/uri"
)

// manyFlags are the flags of several URIs at a time, and of retries.
type manyFlags struct {
	parallel     bool
	parallelMax  int
	perHost      int
	input        flags.NonEmptyList
	state        string
	pause        flags.Pause
	retries      int
	retryMaxTime flags.Seconds
	retryAll     bool
	retryDelay   flags.Pause
	limitRate    flags.Size
	progress     string
	failEarly    bool
}

func (f *manyFlags) add(fs *pflag.FlagSet) {
	fs.BoolVarP(&f.parallel, "parallel", "Z", false, "fetch several URIs at a time")
	flags.NumberVar(fs, &f.parallelMax, "parallel-max", 0, 1, flags.MaxParallel, "fetch at most `N` at a time (50, and 8 from one host; implies -Z)")
	flags.NumberVar(fs, &f.perHost, "parallel-max-host", 0, 1, flags.MaxParallel, "fetch at most `N` at a time from one host (1 with --pause)")
	fs.Var(&f.input, "input", "read URIs from `FILE`, one per line; implies -Z (deref help input)")
	flags.TextVar(fs, &f.state, "state", "", "record in `FILE` what is done, and skip it when run again")
	fs.Var(&f.pause, "pause", "wait `SECONDS` after each response from a host; implies -Z")
	flags.NumberVar(fs, &f.retries, "retry", 0, 0, math.MaxInt, "retry temporary failures up to `N` times, and continue partial documents")
	fs.Var(&f.retryMaxTime, "retry-max-time", "start no retry later than `SECONDS` after the first attempt")
	fs.BoolVar(&f.retryAll, "retry-all-errors", false, "with --retry: retry after every error of a server")
	fs.Var(&f.retryDelay, "retry-delay", "with --retry: wait `SECONDS` before each retry, not longer each time (0: none)")
	fs.BoolVar(&f.failEarly, "fail-early", false, "stop at the first URI that fails (not with -Z)")
	fs.Var(&f.limitRate, "limit-rate", "receive at most `RATE` bytes a second in total (100k, 2M)")
	flags.ChoiceVar(fs, &f.progress, "progress", "`WHEN` to show progress: auto, bar, none", "auto", "bar", "none")
	flags.Shortcut(fs, "progress-bar", "#", "progress", "bar")
	flags.Shortcut(fs, "no-progress-meter", "", "progress", "none")
	flags.Shortcut(fs, "no-verbose", "", "progress", "none")
}

// isMany reports whether URIs are fetched several at a time.
func (f *manyFlags) isMany() bool {
	return f.parallel || len(f.input) > 0 || f.state != "" || f.perHost > 0 || f.parallelMax > 0 || f.pause > 0
}

// earlierRun returns whether an earlier run has recorded its progress in the file of --state.
func (f *manyFlags) earlierRun() request.EarlierRun {
	if f.state == "" {
		return request.Untracked
	}
	if fi, err := os.Stat(f.state); err != nil || fi.Size() == 0 {
		return request.FirstRun
	}
	return request.Continued
}

func (f *manyFlags) policy() retry.Policy {
	return retry.Policy{Retries: f.retries, MaxTime: time.Duration(f.retryMaxTime), All: f.retryAll, Delay: time.Duration(f.retryDelay)}
}

// orderedParallel is the number of documents at a time if standard output is in the order of the list: they wait for their turn, not for their
// servers.
const orderedParallel = 8

// runMany dereferences the URIs of the command line and of the lists, several at a time. Standard output is in their order.
func (c *command) runMany(ctx context.Context) error {
	f, ts := c.flags, c.targets
	if len(f.input) > 0 {
		defer app.HeapFloor(app.ManyDocuments)()
	}
	lists, done, err := f.lists(c.app, c.options, ts)
	if err != nil {
		return err
	}
	defer done()
	o := &batch.Options{Parallel: f.parallelMax, PerHost: f.perHost, Pause: time.Duration(f.pause), Retry: f.policy(), Done: c.ended}
	if !f.remoteName && (len(f.input) > 0 || slices.ContainsFunc(ts, func(t request.Target) bool { return t.Group >= len(f.out) })) || slices.Contains(f.out, "-") {
		c.order = newSequence(ctx, c.app.Stdout, c.waits)
		c.order.patience = time.Duration(f.MaxTime)
		defer c.order.close()
		interrupt := context.AfterFunc(ctx, func() { c.app.Stdout.SetWriteDeadline(time.Unix(1, 0)) })
		defer interrupt()
		o.Order = c.order
		if o.Parallel == 0 {
			o.Parallel = orderedParallel
		}
		if f.replay != "" || f.Trace == "-" || f.Record == "-" { // conversations are read and written in order, too
			o.Parallel = 1
		}
	}
	if f.keep && f.link == 0 {
		o.Kept = func(it *batch.Item) (bool, error) { return c.kept(ctx, it) }
	}
	if f.state != "" {
		state, err := batch.OpenState(f.state)
		if err != nil {
			return err
		}
		defer state.Close()
		o.Journal = state
		if c.archive != nil {
			o.Commit = func([]*batch.Item) error { return c.archive.Sync() }
		}
	}
	if c.progress != nil && len(f.input) == 0 && f.state == "" {
		c.progress.items = len(ts)
	}
	stop := c.progress.start()
	sum, err := batch.Run(ctx, lists, c.try, o)
	stop()
	if !f.silent && f.progress != "none" {
		fmt.Fprintln(c.app.Stderr, "deref: "+summary(&sum))
	}
	return cmp.Or(err, app.Printed(sum.First))
}

// lists returns the URIs of the command line, then those of each --input.
func (f *Flags) lists(a *app.App, o *fetch.Options, ts []request.Target) (list batch.Seq, done func(), err error) {
	all := []batch.Seq{request.Items(ts)}
	var open []io.Closer
	done = func() {
		for _, c := range open {
			c.Close()
		}
	}
	for _, name := range f.input {
		in, err := flags.Open(name, a.Stdin)
		if err != nil {
			done()
			return nil, nil, err
		}
		open = append(open, in)
		all = append(all, f.listed(batch.List(in, &batch.ListOptions{Mode: o.Mode, Base: o.Base})))
	}
	return batch.Concat(all...), done, nil
}

// listed changes the URIs of a list in the same way as those of the command line.
func (f *Flags) listed(list batch.Seq) batch.Seq {
	return func(yield func(*batch.Item, error) bool) {
		for it, err := range list {
			if it != nil && err == nil {
				it.URI, err = f.withQuery(f.WithoutDots(it.URI))
			}
			if !yield(it, err) {
				return
			}
		}
	}
}

// waits reports whether an item writes to standard output, where it must wait for its turn.
func (c *command) waits(it *batch.Item) bool {
	path, _ := c.placeOf(it)
	return c.flags.reports() || c.flags.include || it.URI.IsZero() || path == "-"
}

// try dereferences an item of a list once, and reports its success.
func (c *command) try(ctx context.Context, it *batch.Item) (int64, error) {
	r := c.retrieval(ctx, it)
	if c.order != nil && c.waits(it) {
		r.slot = c.order.slot(it.Number)
	}
	if it.Final = c.flags.link > 0; !it.Final {
		r.item = it
	}
	err := r.dereference()
	size := r.result.Size
	if r.path == "-" {
		it.Postponed = r.slot.postponed()
		it.Final = it.Final || r.slot.began() // never restarted once some of it was written
	}
	switch {
	case it.Postponed:
	case err == nil:
		err = r.report(nil)
		c.done.Put(r)
	case c.flags.reports():
		c.failed.Store(it.Number, r)
	}
	return size, err
}

// kept reports whether the file of an item exists and is kept. What waits for its turn on standard output is left to try.
func (c *command) kept(ctx context.Context, it *batch.Item) (bool, error) {
	if c.order != nil && c.waits(it) {
		return false, nil
	}
	r := c.retrieval(ctx, it)
	o, err := r.saveOptions()
	if err != nil || o.Path != "" { // a FIFO could block
		return false, nil
	}
	if r.result, err = batch.Save(ctx, nil, it, nil, o); r.result.Unchanged && err == nil {
		err = r.report(nil)
	}
	return r.result.Unchanged, err
}

// ended counts an item. It prints the error and the report of one that has failed.
func (c *command) ended(it *batch.Item, _ int64, err error) {
	c.progress.ended(err)
	last, tried := c.failed.LoadAndDelete(it.Number)
	if err == nil {
		return
	}
	subject := ""
	if it.URI.IsZero() {
		c.reportInvalid(it.Text, err)
	} else {
		r := &retrieval{command: c, uri: it.URI}
		if tried {
			r = last.(*retrieval)
			r.slot = nil
		}
		r.report(err)
		subject = c.schemes.Redact(it.URI)
	}
	if c.repeats(it.URI, err) {
		return
	}
	c.progress.aside(func() { c.app.PrintError(subject, err) })
}

// repeats reports whether the same kind of error was printed before for u's server: a server that cannot be reached fails in the same way for each
// URI of a list. The summary, --json and --state count them all.
func (c *command) repeats(u uri.URI, err error) bool {
	kind := fetch.KindOf(err)
	if kind != fetch.ErrConnect && kind != fetch.ErrDNS && kind != fetch.ErrTLS {
		return false
	}
	server := c.schemes.Origin(u)
	if server == "" {
		return false
	}
	_, printed := c.unreachable.LoadOrStore(server+" "+string(kind), true)
	return printed
}

// summary returns the last line of many.
func summary(s *batch.Summary) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d documents, %s in %s", s.Done, terminal.FormatBytes(s.Bytes), s.Time.Round(10*time.Millisecond))
	if s.Skipped > 0 {
		fmt.Fprintf(&b, "; %d done before", s.Skipped)
	}
	if s.Retries > 0 {
		fmt.Fprintf(&b, "; %d retries", s.Retries)
	}
	if s.Failed == 0 {
		return b.String()
	}
	kinds := slices.SortedFunc(maps.Keys(s.Kinds), func(x, y fetch.Kind) int {
		return cmp.Or(cmp.Compare(s.Kinds[y], s.Kinds[x]), cmp.Compare(x, y))
	})
	fmt.Fprintf(&b, "; %d failed:", s.Failed)
	for _, k := range kinds {
		fmt.Fprintf(&b, " %d %s", s.Kinds[k], cmp.Or(string(k), "error"))
	}
	return b.String()
}
