package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"example.org/deref/fetch"
	"example.org/deref/fetch/render"
)

// getFlags are the flags of dereferencing to standard output or files.
type getFlags struct {
	requestFlags
	manyFlags
	archiveFlags
	out        []string
	remoteName bool
	serverName bool
	dir        string
	createDirs bool
	force      bool
	fsync      bool
	remoteTime bool
	xattr      bool
	resume     string
	byteRange  string
	head       bool
	include    bool
	talkFlags
	replay    string
	silent    bool
	showError bool
	format    string
	mbox      bool // the format was mbox
	writeOut  string
	template  *render.WriteOut // of writeOut
	json      bool
	link      int
	links     bool
	fragment  bool
	notAfter  time.Time // -z -DATE
}

func (f *getFlags) add(fs *pflag.FlagSet) { addSections(fs, f.sections()) }

// sections are the flags as help shows them.
func (f *getFlags) sections() []section {
	return append([]section{
		{"Where the document goes", f.addPlaces},
		{"What is shown of it", f.addViews},
		{"What is told on the way", f.addTalk},
		{"Many URIs", f.manyFlags.add},
		{"Archives", f.archiveFlags.add},
	}, f.requestFlags.sections()...)
}

func (f *getFlags) addPlaces(fs *pflag.FlagSet) {
	fs.VarP((*textList)(&f.out), "output", "o", "write to `FILE` (- is standard output); one for each URI, in order")
	fs.BoolVarP(&f.remoteName, "remote-name", "O", false, "write to a file named by the URI")
	fs.BoolVarP(&f.serverName, "remote-header-name", "J", false, "with -O: named by the server")
	fs.Var((*given)(&f.dir), "output-dir", "write files into `DIR`")
	fs.BoolVar(&f.createDirs, "create-dirs", false, "make the folders that -o and --output-dir name")
	fs.BoolVar(&f.force, "force", false, "-O and -J may replace files")
	fs.BoolVar(&f.fsync, "fsync", false, "files outlive a power cut")
	fs.BoolVarP(&f.remoteTime, "remote-time", "R", false, "files get the time of their documents")
	fs.BoolVar(&f.xattr, "xattr", false, "files get attributes that tell URI and media type")
	fs.VarP((*given)(&f.resume), "continue-at", "C", "resume at `OFFSET` (- finds it out)")
	fs.VarP((*given)(&f.byteRange), "range", "r", "the octets `A-B` only")
}

func (f *getFlags) addViews(fs *pflag.FlagSet) {
	fs.BoolVarP(&f.head, "head", "I", false, "what is known of the document, without it (of http pages, 16 KiB are read)")
	fs.BoolVarP(&f.include, "include", "i", false, "the same, before the document")
	fs.BoolVar(&f.json, "json", false, "one JSON object about each result; the document goes to -o and -O only")
	fs.StringVarP(&f.writeOut, "write-out", "w", "", "print `FORMAT` about each result (deref help formats)")
	fs.Var((*given)(&f.format), "format", "`VIEW` of a listing or document: raw, text, html, json, uri-list, ldif, mbox")
	fs.BoolVar(&f.fragment, "fragment", false, "only the part that #FRAGMENT names: an HTML id, lines of a text (line=10,20)")
	fs.BoolVar(&f.links, "links", false, "list the links of the menu or page")
	numberVar(fs, &f.link, "link", 0, 1, math.MaxInt, "dereference the `N`th link of the menu or page")
}

func (f *getFlags) addTalk(fs *pflag.FlagSet) {
	f.talkFlags.add(fs)
	fs.Var((*given)(&f.replay), "replay", "dereference against the conversation in `FILE`, without a network")
	fs.BoolVarP(&f.silent, "silent", "s", false, "no error lines")
	fs.BoolVarP(&f.showError, "show-error", "S", false, "with -s: error lines all the same")
}

func getCommand(fs *pflag.FlagSet) func(context.Context, *app, []string) error {
	var f getFlags
	f.add(fs)
	return f.run
}

// run dereferences what the command line names.
func (f *getFlags) run(ctx context.Context, a *app, args []string) (err error) {
	a.silent = f.silent && !f.showError
	if err := f.parseWriteOut(a); err != nil {
		return err
	}
	o, err := f.request(a)
	if err != nil {
		return err
	}
	ts, err := f.named(o, args)
	if err != nil {
		return err
	}
	c, err := f.client(a)
	if err != nil {
		return err
	}
	defer c.Close()
	replayed, err := replays(f.replay, c)
	if err != nil {
		return err
	}
	warnOfSecrets(a, c, f.warc, f.record, f.trace)
	done, err := f.traces(a, o, f.notes)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, done()) }()
	ctx, archived, err := f.archive(ctx, a, c, f.force, f.noted())
	if err != nil {
		return err
	}
	g, err := f.getter(a, c, o)
	if err != nil {
		return archived.close(ctx, err)
	}
	g.archive = archived
	defer g.close()
	err = g.everything(ctx, ts)
	return archived.close(ctx, errors.Join(err, f.saveCookies(a), replayed()))
}

// request makes the Options of every URI.
func (f *getFlags) request(a *app) (*fetch.Options, error) {
	if date, ok := strings.CutPrefix(f.changed, "-"); ok {
		var err error
		if f.notAfter, err = dateOf(date); err != nil {
			return nil, err
		}
		f.changed = ""
	}
	o, err := f.options(a)
	if err != nil {
		return nil, err
	}
	if f.head {
		o.Op = fetch.Metadata
	}
	if slices.Contains(f.out, "") {
		return nil, usageError("-o '': the name of a file is wanted; -O names it by the URI")
	}
	o.Part = f.fragment || f.link > 0 // a link to a part of a message is that part
	if f.format == "mbox" {
		// The messages themselves instead of their listing: another request, not another view.
		everywhere(".view")(o.Set, "mbox")
		f.format, f.mbox = string(render.Raw), true
	}
	o.Range, err = parseRange(f.byteRange)
	return o, err
}

// named parses the URIs of the command line; with --input there may be none.
func (f *getFlags) named(o *fetch.Options, args []string) ([]target, error) {
	if len(args) == 0 && len(f.input) > 0 {
		return nil, nil
	}
	ts, err := f.targets(o, args)
	switch {
	case err != nil:
	case len(o.Set["gopher.data"]) > 0 && len(f.input) == 0 && !slices.ContainsFunc(f.wanted, notHTTP):
		err = &usage{"--data is the answer to a question of gopher", asksOnly}
	case len(f.out) > len(ts):
		err = usageError("more -o than URIs")
	case len(f.out) == len(ts) && f.remoteName && len(f.input) == 0:
		err = usageError("-O: each of the URIs has its -o")
	}
	return ts, err
}

// notHTTP reports whether a scheme may have or lead to a question that --data answers. To http it would be curl's --data.
func notHTTP(scheme string) bool { return scheme != "http" && scheme != "https" }

// parseRange reads "A-B", "A-" and "-N": curl's, whose B is the last octet.
func parseRange(s string) (r fetch.Range, err error) {
	if s == "" {
		return r, nil
	}
	from, to, ok := strings.Cut(s, "-")
	a, errA := strconv.ParseUint(from, 10, 62)
	b, errB := strconv.ParseUint(to, 10, 62)
	switch {
	case !ok:
	case errA == nil && to == "":
		return fetch.Range{From: int64(a)}, nil
	case from == "" && errB == nil && b > 0:
		return fetch.Range{From: -int64(b)}, nil
	case errA == nil && errB == nil && a <= b:
		return fetch.Range{From: int64(a), To: int64(b) + 1}, nil
	}
	return r, usageError(fmt.Sprintf("-r %s: A-B, A- or -N is wanted", s))
}
