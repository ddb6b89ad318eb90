package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"example.org/deref/fetch"
	"example.org/deref/fetch/render"
	"example.org/deref/uri"
)

// getFlags are the flags of dereferencing to standard output or files.
type getFlags struct {
	requestFlags
	manyFlags
	out         []string
	remoteName  bool
	serverName  bool
	dir         string
	createDirs  bool
	force       bool
	fsync       bool
	remoteTime  bool
	resume      string
	byteRange   string
	head        bool
	include     bool
	verbose     bool
	trace       string
	record      string
	replay      string
	traceFormat string
	silent      bool
	showError   bool
	format      string
	json        bool
	link        int
	links       bool
}

func (f *getFlags) add(fs *pflag.FlagSet) {
	fs.StringArrayVarP(&f.out, "output", "o", nil, "write to `FILE` (- is standard output); one for each URI, in order")
	fs.BoolVarP(&f.remoteName, "remote-name", "O", false, "write to a file named by the URI")
	fs.BoolVarP(&f.serverName, "remote-header-name", "J", false, "with -O: named by the server")
	fs.StringVar(&f.dir, "output-dir", "", "write files into `DIR`")
	fs.BoolVar(&f.createDirs, "create-dirs", false, "make the folders that -o and --output-dir name")
	fs.BoolVar(&f.force, "force", false, "-O and -J may replace files")
	fs.BoolVar(&f.fsync, "fsync", false, "files outlive a power cut")
	fs.BoolVarP(&f.remoteTime, "remote-time", "R", false, "files get the time of their documents")
	fs.StringVarP(&f.resume, "continue-at", "C", "", "resume at `OFFSET` (- finds it out)")
	fs.StringVarP(&f.byteRange, "range", "r", "", "the octets `A-B` only")
	fs.BoolVarP(&f.head, "head", "I", false, "what is known of the document, without it")
	fs.BoolVarP(&f.include, "include", "i", false, "the same, before the document")
	fs.BoolVarP(&f.verbose, "verbose", "v", false, "show the conversation on standard error")
	fs.StringVar(&f.trace, "trace", "", "write the whole conversation to `FILE`")
	fs.StringVar(&f.record, "record", "", "write the conversation to `FILE`, as --replay reads it")
	fs.StringVar(&f.replay, "replay", "", "dereference against the conversation in `FILE`, without a network")
	fs.StringVar(&f.traceFormat, "trace-format", "text", "of --trace: `text` or json")
	fs.BoolVarP(&f.silent, "silent", "s", false, "no error lines")
	fs.BoolVarP(&f.showError, "show-error", "S", false, "with -s: error lines all the same")
	fs.StringVar(&f.format, "format", "", "`VIEW` of a listing or document: raw, text, html, json, uri-list, ldif, mbox")
	fs.IntVar(&f.link, "link", 0, "dereference the `N`th link of the menu or page")
	fs.BoolVar(&f.links, "links", false, "list the links of the menu or page")
	fs.BoolVar(&f.json, "json", false, "one JSON object about each result on standard output; the document goes to -o and -O only")
	f.manyFlags.add(fs)
	f.requestFlags.add(fs)
}

func getCommand(fs *pflag.FlagSet) func(context.Context, *app, []string) error {
	var f getFlags
	f.add(fs)
	return f.run
}

// run dereferences what the command line names.
func (f *getFlags) run(ctx context.Context, a *app, args []string) error {
	a.silent = f.silent && !f.showError
	o, err := f.request(a)
	if err != nil {
		return err
	}
	us, err := f.named(o, args)
	if err != nil {
		return err
	}
	c, err := f.client(a)
	if err != nil {
		return err
	}
	defer c.Close()
	replayed, err := f.replays(c)
	if err != nil {
		return err
	}
	done, err := f.traces(a, o)
	if err != nil {
		return err
	}
	defer done()
	g, err := f.getter(a, c, o)
	if err != nil {
		return err
	}
	defer g.close()
	return errors.Join(g.everything(ctx, us), f.saveCookies(), replayed())
}

// request makes the Options of every URI.
func (f *getFlags) request(a *app) (*fetch.Options, error) {
	o, err := f.options(a)
	if err != nil {
		return nil, err
	}
	if f.head {
		o.Op = fetch.Metadata
	}
	if f.format == "mbox" { // the articles themselves instead of their listing: another request, not another view
		o.Set["news.view"] = []string{"mbox"}
		f.format = string(render.Raw)
	}
	o.Range, err = parseRange(f.byteRange)
	return o, err
}

// named parses the URIs of the command line; with --input there may be none.
func (f *getFlags) named(o *fetch.Options, args []string) ([]uri.URI, error) {
	if err := f.manyFlags.check(); err != nil {
		return nil, err
	}
	if len(args) == 0 && len(f.input) > 0 {
		return nil, nil
	}
	us, err := f.targets(o, args)
	if err == nil && len(f.out) > len(us) {
		err = usageError("more -o than URIs")
	}
	return us, err
}

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
