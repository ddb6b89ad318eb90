package retrieve

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"

	"example.org/deref/cmd/internal/app"
	"example.org/deref/cmd/internal/flags"
	"example.org/deref/cmd/internal/request"
	"example.org/deref/cmd/internal/terminal"
	"example.org/deref/fetch"
	"example.org/deref/fetch/fragment"
	"example.org/deref/fetch/render"
	"example.org/deref/fetch/render/foreign"
	"example.org/deref/fetch/render/htmltext"
	"example.org/deref/fetch/retry"
	"example.org/deref/fetch/save"
	"example.org/deref/fetch/throttle"
	"example.org/deref/uri"
)

// A getter dereferences the URIs of one command line, each to where it belongs.
type getter struct {
	unreachable sync.Map // servers of a list, with the kinds of error that were printed for them
	app         *app.App
	flags       *Flags
	client      fetch.Getter
	schemes     fetch.Registry
	chosen      func(from, link uri.URI) error // whether --link may lead there
	options     *fetch.Options
	folder      *save.Dir
	archive     *request.Archive // nil without --warc
	output      sync.Mutex       // held while one of many writes to standard output
	order       *sequence        // nil where not several write documents to it

	progress *progress // nil shows nothing
}

func (f *Flags) getter(a *app.App, c *fetch.Client, o *fetch.Options) (g *getter, err error) {
	g = &getter{app: a, flags: f, client: throttle.New(c, int64(f.limitRate)), schemes: c.Schemes, chosen: c.MayChoose, options: o, progress: f.newProgress(a)}
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

// everything dereferences the URIs, one after the other or many at once. Where files are written, a signal clears away first.
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

// all dereferences every URI, whatever becomes of the others; the first failure decides.
func (g *getter) all(ctx context.Context, ts []request.Target) error {
	var first error
	for i, t := range ts {
		if err := g.one(ctx, t, g.place(i)); err != nil {
			if g.archive.Broke() && errors.Is(err, context.Canceled) {
				return err // close says why
			}
			g.app.PrintError(t.Subject(g.schemes, len(ts)), g.habitual(t, err))
			first = cmp.Or(first, err)
		}
		if ctx.Err() != nil {
			break
		}
	}
	return app.Printed(first)
}

// A place is where a document goes.
type place struct {
	path  string // "" is a name from the URI, "-" standard output
	asked bool   // by -o: binary may go to a terminal then
	slot  *slot  // on standard output, for one of many
}

// place is where the document of the URI number i goes.
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
		return cmp.Or(t.Err, g.tellNone(t.Arg, t.Err))
	case g.flags.link > 0:
		return g.follow(ctx, t.URI, to)
	}
	return g.get(ctx, t.URI, g.options, to)
}

// get dereferences one URI to its place.
func (g *getter) get(ctx context.Context, u uri.URI, wish *fetch.Options, to place) error {
	start := time.Now()
	r, err := g.save(ctx, u, wish, to)
	return cmp.Or(err, g.tell(to, u, r, err, time.Since(start)))
}

func (g *getter) save(ctx context.Context, u uri.URI, wish *fetch.Options, to place) (save.Result, error) {
	defer g.progress.start()()
	o, err := g.saving(ctx, u, wish, to)
	if err != nil {
		return save.Result{}, err
	}
	var n entryCount
	answered, opened := g.waitFor(u, quietTime, g.app.Stderr), o.Opened
	defer answered()
	o.Opened = func(d *fetch.Document) error {
		answered()
		n.of(d)
		return opened(d)
	}
	var r save.Result
	if to.path == "-" {
		r, err = save.File(ctx, retry.New(g.client, g.flags.policy()), u, wish, o)
	} else {
		policy := g.flags.policy()
		policy.Whole = g.archive != nil
		r, err = policy.File(ctx, g.client, u, wish, o)
		g.tellGaps(r)
	}
	if err == nil {
		g.tellEmpty(u, wish, r, o.View != nil, n)
	}
	g.tellAfresh(r, err)
	g.app.Warn(r.AttributesError)
	g.app.Warn(r.LostMetadata)
	return r, g.flags.outcome(err, r)
}

// tellGaps says how much is missing in a file, where nothing else shows it.
func (g *getter) tellGaps(r save.Result) {
	if d := r.Document; d != nil && d.Missing > 0 && r.Path != "" && !g.flags.silent {
		g.progress.aside(func() {
			fmt.Fprintf(g.app.Stderr, "deref: note: %s: %d missing, passed over\n", render.Escape(r.Path), d.Missing)
		})
	}
}

// tellAfresh says that -C could not continue what was in the file: it is not the beginning of the document, or the server sends no parts.
func (g *getter) tellAfresh(r save.Result, err error) {
	if err == nil && r.Restarted && r.Path != "" && !g.flags.silent {
		g.progress.aside(func() {
			fmt.Fprintf(g.app.Stderr, "deref: note: %s could not be continued; it was replaced by the whole document\n", render.Escape(r.Path))
		})
	}
}

// saving is how the document goes to its place.
func (g *getter) saving(ctx context.Context, u uri.URI, wish *fetch.Options, to place) (*save.Options, error) {
	o := &save.Options{
		Dir: g.folder, Path: to.path, URI: u, ServerName: g.flags.serverName, CreateDirs: g.flags.createDirs, Force: g.flags.force,
		Resume: g.flags.resume == "-", Sync: g.flags.fsync, Sum: g.flags.wantsSum(), Times: g.flags.remoteTime, Attributes: g.flags.xattr,
	}
	var err error
	if o.From, err = g.flags.from(); err != nil {
		return nil, err
	}
	err = g.show(ctx, o, wish, to)
	g.progress.follow(o)
	return o, err
}

// errTooNew ends what -z -DATE does not want: the date of its document is later. That is no failure, as it is none of -z DATE.
var errTooNew = errors.New("the document is newer than -z has it")

// outcome adds to an error the hint that what arrived was kept. An archive has no more of it another time.
func (f *Flags) outcome(err error, r save.Result) error {
	if errors.Is(err, errTooNew) {
		return nil
	}
	e, ok := errors.AsType[*fetch.Error](err)
	if !ok || e.Hint != "" || r.Part == "" {
		return err
	}
	hinted := *e
	if hinted.Hint = "what has arrived is in " + r.Part; len(f.FromWarc) == 0 {
		hinted.Hint += "; -C - continues there"
	}
	return &hinted
}

// from is the offset of -C N.
func (f *Flags) from() (int64, error) {
	if f.resume == "" || f.resume == "-" {
		return 0, nil
	}
	n, err := strconv.ParseUint(f.resume, 10, 62)
	if err != nil {
		return 0, flags.Usage(fmt.Sprintf("-C %s: a number or - is wanted", f.resume))
	}
	return int64(n), nil
}

// show settles how the document is shown: what goes before it, and by which view.
func (g *getter) show(ctx context.Context, o *save.Options, wish *fetch.Options, to place) error {
	o.Stdout = g.app.Stdout
	if to.slot != nil {
		o.Stdout = to.slot
	}
	if g.flags.json && to.path == "-" && !g.flags.links {
		o.Stdout = io.Discard
	}
	o.Opened = func(d *fetch.Document) error { return g.opened(ctx, o.URI, wish, d, to) }
	if g.flags.head {
		o.View = func(w io.Writer, d *fetch.Document) error {
			if to.path == "-" {
				return nil // what there is was shown before
			}
			return printMetadata(w, d, false)
		}
		return nil
	}
	var err error
	o.View, err = g.view(to.path == "-" && !to.asked && (g.flags.links || !g.flags.json) && terminal.IsTerminal(g.app.Stdout))
	return err
}

// opened prints what goes before the document, and leaves of the document what is asked for.
func (g *getter) opened(ctx context.Context, asked uri.URI, wish *fetch.Options, d *fetch.Document, to place) error {
	g.warn(asked, d)
	g.tellPiece(d)
	if g.flags.include || g.flags.head {
		g.lookAt(ctx, asked, wish, d)
	}
	if (g.flags.include || g.flags.head && to.path == "-") && !g.flags.json {
		if err := g.printMetadata(d, to); err != nil {
			return err
		}
	}
	if to.slot != nil && to.path == "-" {
		to.slot.follow(d)
	}
	if d.Modified.After(g.flags.notAfter) && !g.flags.notAfter.IsZero() {
		return errTooNew
	}
	remember(g.app, d)
	if g.flags.mbox && !g.flags.head && !d.NotModified && d.Type != mailbox {
		return noMailbox(d)
	}
	if !g.flags.fragment || g.flags.head {
		return nil
	}
	if _, ok := asked.Fragment(); !ok && d.Fragment == "" {
		return fetch.Errorf(fetch.ErrNotFound, "--fragment: the URI names no part")
	}
	return fragment.Cut(d)
}

func (g *getter) printMetadata(d *fetch.Document, to place) error {
	before := g.flags.include && !g.flags.head
	if to.slot != nil {
		return printMetadata(to.slot.words(), d, before)
	}
	g.output.Lock()
	defer g.output.Unlock()
	return printMetadata(g.app.Out(), d, before)
}

// framed copies a page of others into the frame that the HTML view has for it: without scripts, and with nothing that loads by itself.
func framed(w io.Writer, r io.Reader, base uri.URI, href func(uri.URI) string, _ bool) error {
	return foreign.Write(w, r, base, foreign.Links{To: href})
}

// mailbox is the type of what --format mbox asks for (RFC 4155).
const mailbox = "application/mbox"

// noMailbox is the error of --format mbox about what has no messages.
func noMailbox(d *fetch.Document) error {
	return &fetch.Error{Kind: fetch.ErrUnsupported, Text: "--format mbox: " + d.URI.Scheme() + " gives no mailbox here, but " + cmp.Or(d.Type, "what has no type"),
		Hint: "mailboxes are made of mid, mailto, imap and news"}
}

// view is how the document is written; nil is as it comes. On a terminal a person reads: text, through the filter.
func (g *getter) view(terminal bool) (func(io.Writer, *fetch.Document) error, error) {
	format := render.Format(g.flags.format)
	switch {
	case g.flags.links && g.flags.json:
		format = render.JSON
	case g.flags.links && (format == "" || format == render.Raw):
		return numbered, nil
	case format == "" && terminal:
		format = render.Text
	case format == "" || format == render.Raw && !terminal:
		return nil, nil
	case !slices.Contains(render.Formats(), format):
		return nil, unknownFormat(format)
	}
	o := &render.Options{Terminal: terminal, Page: htmltext.Render, Foreign: framed}
	if terminal {
		if w, _, err := term.GetSize(int(g.app.Stdout.Fd())); err == nil {
			o.Width = w
		}
	}
	return func(w io.Writer, d *fetch.Document) error {
		if g.flags.links {
			d = linksOf(d)
		}
		return render.View(w, d, format, o)
	}, nil
}

// unknownFormat is the error of --format.
func unknownFormat(word render.Format) error {
	known := []string{"mbox"}
	for _, f := range render.Formats() {
		known = append(known, string(f))
	}
	return flags.NotOneOf("--format "+string(word), string(word), "one of "+strings.Join(known[1:], ", ")+" or mbox is wanted", known)
}
