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
	"example.org/deref/fetch/charset"
	"example.org/deref/fetch/fragment"
	"example.org/deref/fetch/render"
	"example.org/deref/fetch/render/foreign"
	"example.org/deref/fetch/render/htmltext"
	"example.org/deref/fetch/retry"
	"example.org/deref/fetch/save"
	"example.org/deref/fetch/throttle"
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
	g = &getter{app: a, flags: f, client: throttle.New(c, int64(f.limitRate)), schemes: c.Schemes, charsetOf: c.NameCharset, chosen: c.CheckLink, options: o, progress: f.newProgress(a)}
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

func (g *getter) save(ctx context.Context, u uri.URI, req *fetch.Options, to place) (save.Result, error) {
	defer g.progress.start()()
	o, err := g.saving(ctx, u, req, to)
	if err != nil {
		return save.Result{}, err
	}
	var n entryCount
	answered, opened := g.waitFor(u, quietTime, g.app.Stderr), o.Opened
	defer answered()
	printed := false
	o.Opened = func(d *fetch.Document) error {
		printed = to.path == "-"
		answered()
		n.of(d)
		return opened(d)
	}
	get := func(u uri.URI, req *fetch.Options, o *save.Options) (save.Result, error) {
		if to.path == "-" {
			return save.File(ctx, retry.New(g.client, g.flags.policy()), u, req, o)
		}
		policy := g.flags.policy()
		policy.Whole = g.archive != nil
		return policy.File(ctx, g.client, u, req, o)
	}
	r, err := get(u, req, o)
	r, err = g.fromSources(u, req, o, r, err, &printed, get)
	if to.path != "-" {
		g.noteMissing(r)
		g.noteRepaired(r)
	}
	if err == nil {
		g.noteEmpty(u, req, r, o.View != nil, n)
	}
	g.noteReplaced(r, err)
	g.app.Warn(r.AttributesError)
	g.app.Warn(r.LostMetadata)
	if err == nil {
		err = refusalOf(r)
	}
	return r, g.flags.outcome(err, r)
}

// noteMissing notes how many pieces are missing in a file, which nothing else shows.
func (g *getter) noteMissing(r save.Result) {
	if d := r.Document; d != nil && d.Missing > 0 && r.Path != "" && !g.flags.silent {
		g.progress.aside(func() {
			fmt.Fprintf(g.app.Stderr, "deref: note: %s: %d missing, skipped\n", render.Escape(r.Path), d.Missing)
		})
	}
}

// noteReplaced notes that -C could not continue a file: it is not the beginning of the document, or the server does not send parts.
func (g *getter) noteReplaced(r save.Result, err error) {
	if err == nil && r.Restarted && r.Path != "" && !g.flags.silent {
		g.progress.aside(func() {
			fmt.Fprintf(g.app.Stderr, "deref: note: %s could not be continued; it was replaced by the whole document\n", render.Escape(r.Path))
		})
	}
}

// saving returns the options for saving the document at its place.
func (g *getter) saving(ctx context.Context, u uri.URI, req *fetch.Options, to place) (*save.Options, error) {
	o := &save.Options{
		Dir: g.folder, Path: to.path, URI: u, Charset: g.charsetOf(u, req), ServerName: g.flags.serverName, CreateDirs: g.flags.createDirs, Force: g.flags.force,
		Resume: g.flags.resume == "-", Sync: g.flags.fsync, Sum: g.flags.wantsSum(), Times: g.flags.remoteTime, Attributes: g.flags.xattr,
	}
	var err error
	if o.From, err = g.flags.from(); err != nil {
		return nil, err
	}
	if err := g.verify(o, u); err != nil {
		return nil, err
	}
	err = g.show(ctx, o, req, to)
	g.progress.follow(o)
	return o, err
}

// errTooNew stops the retrieval of a document that is newer than the date of -z -DATE. That is not a failure.
var errTooNew = errors.New("the document is newer than the date of -z")

// outcome adds a hint to an error if part of the document was saved. The hint suggests to continue, except from an archive, which has no more.
func (f *Flags) outcome(err error, r save.Result) error {
	if errors.Is(err, errTooNew) {
		return nil
	}
	e, ok := errors.AsType[*fetch.Error](err)
	if !ok || e.Hint != "" || r.Part == "" {
		return err
	}
	hinted := *e
	if hinted.Hint = "the part that has arrived is in " + r.Part; len(f.FromWarc) == 0 {
		hinted.Hint += "; -C - continues there"
	}
	return &hinted
}

// from returns the offset of -C N.
func (f *Flags) from() (int64, error) {
	if f.resume == "" || f.resume == "-" {
		return 0, nil
	}
	n, err := strconv.ParseUint(f.resume, 10, 62)
	if err != nil {
		return 0, flags.Usage(fmt.Sprintf("-C %s: must be a number or -", f.resume))
	}
	return int64(n), nil
}

// show sets how the document is printed: what precedes it, and the view.
func (g *getter) show(ctx context.Context, o *save.Options, req *fetch.Options, to place) error {
	o.Stdout = g.app.Stdout
	if to.slot != nil {
		o.Stdout = to.slot
	}
	if g.flags.json && to.path == "-" && !g.flags.links {
		o.Stdout = io.Discard
	}
	o.Opened = func(d *fetch.Document) error { return g.opened(ctx, o.URI, req, d, to) }
	if g.flags.head {
		o.View = func(w io.Writer, d *fetch.Document) error {
			if to.path == "-" {
				return nil // opened has printed it
			}
			return printMetadata(w, d, false)
		}
		return nil
	}
	var err error
	o.View, err = g.view(to, to.path == "-" && !to.asked && (g.flags.links || !g.flags.json) && terminal.IsTerminal(g.app.Stdout))
	return err
}

// opened prints what precedes the document, and reduces the document to the requested part.
func (g *getter) opened(ctx context.Context, asked uri.URI, req *fetch.Options, d *fetch.Document, to place) error {
	g.warn(asked, d)
	if d.Refusal != nil && !g.flags.failBody {
		return g.refused(d, to)
	}
	g.notePart(d)
	if g.flags.Verbose || g.flags.json || g.flags.template != nil && g.flags.template.Wants("charset") {
		to.text.later = render.Examine(d)
	}
	if g.flags.include || g.flags.head {
		g.readHead(ctx, asked, req, d)
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
		return fetch.Errorf(fetch.ErrNotFound, "--fragment: the URI has no fragment")
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

// framed writes a server's page for the frame of the HTML view: without scripts, and with nothing that loads by itself.
func framed(w io.Writer, r io.Reader, base uri.Resolver, href func(uri.URI) string, _ bool) error {
	return foreign.Write(w, r, base, foreign.Links{To: href})
}

// mailbox is the media type that --format mbox requests (RFC 4155).
const mailbox = "application/mbox"

// noMailbox returns the error of --format mbox for a document without messages.
func noMailbox(d *fetch.Document) error {
	return &fetch.Error{Kind: fetch.ErrUnsupported, Text: "--format mbox: " + d.URI.Scheme() + " returned " + cmp.Or(d.Type, "a document without a type") + ", not a mailbox",
		Hint: "mid, mailto, imap and news can return mailboxes"}
}

// view returns the function that writes the document. It returns nil if the document is unchanged. The default on a terminal is text, through the
// filter.
func (g *getter) view(to place, onTerminal bool) (func(io.Writer, *fetch.Document) error, error) {
	format := render.Format(g.flags.format)
	switch {
	case g.flags.links && g.flags.json:
		format = render.JSON
	case g.flags.links && (format == "" || format == render.Raw):
		return numbered, nil
	case format == "" && onTerminal:
		format = render.Text
	case format == "" || format == render.Raw && !onTerminal:
		return nil, nil
	case !slices.Contains(render.Formats(), format):
		return nil, unknownFormat(format)
	}
	o := &render.Options{Terminal: onTerminal, Color: terminal.HasColors(g.app.Getenv), Page: htmltext.Render, Foreign: framed, Charset: to.text.set}
	if onTerminal {
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

// unknownFormat returns the error for an unknown value of --format.
func unknownFormat(word render.Format) error {
	known := []string{"mbox"}
	for _, f := range render.Formats() {
		known = append(known, string(f))
	}
	return flags.NotOneOf("--format "+string(word), string(word), "must be one of "+strings.Join(known[1:], ", ")+" or mbox", known)
}
