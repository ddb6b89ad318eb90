// Package retrieve implements `deref URI...`: it dereferences URIs, one after the other or several at a time, to standard output or files.
package retrieve

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"example.org/deref/cmd/internal/app"
	"example.org/deref/cmd/internal/flags"
	"example.org/deref/cmd/internal/request"
	"example.org/deref/fetch"
	"example.org/deref/fetch/render"
)

// Flags are the flags of `deref URI...`.
type Flags struct {
	request.Flags
	manyFlags
	request.ArchiveFlags
	out        flags.List
	remoteName bool
	serverName bool
	dir        string
	createDirs bool
	force      bool
	keep       bool
	fsync      bool
	remoteTime bool
	resume     string
	byteRange  string
	checksum   string
	head       bool
	include    bool
	request.TraceFlags
	replay    string
	silent    bool
	showError bool
	format    string
	mbox      bool // the format is mbox
	writeOut  string
	template  *render.WriteOut // of writeOut
	json      bool
	strict    bool
	link      int
	links     bool
	fragment  bool
	notAfter  time.Time // -z -DATE

	urls     flags.NonEmptyList // of --url
	query    []string           // of --data-urlencode and --url-query, escaped
	get      bool               // -G: --data is part of the query
	failBody bool
}

// Sections returns the groups of flags in help.
func (f *Flags) Sections() []flags.Section {
	return append([]flags.Section{
		{Title: "Output files", Add: f.addPlaces},
		{Title: "Output format", Add: f.addViews},
		{Title: "Traces and messages", Add: f.addTrace},
		{Title: "Many URIs", Add: f.manyFlags.add},
		{Title: "Archives", Add: f.ArchiveFlags.Add},
		{Title: "Queries", Add: f.addQueries},
	}, f.Flags.Sections()...)
}

func (f *Flags) addPlaces(fs *pflag.FlagSet) {
	fs.VarP(&f.out, "output", "o", "write to `FILE` (- is standard output); give one for each URI, in order")
	fs.BoolVarP(&f.remoteName, "remote-name", "O", false, "write to a file named by the URI")
	flags.Shortcut(fs, "remote-name-all", "", "remote-name", "true")
	fs.BoolVarP(&f.serverName, "remote-header-name", "J", false, "with -O: use the name that the server sends")
	flags.TextVar(fs, &f.dir, "output-dir", "", "write files into `DIR`")
	fs.BoolVar(&f.createDirs, "create-dirs", false, "create the directories of -o and --output-dir")
	fs.BoolVar(&f.force, "force", false, "let -O and -J replace files")
	fs.BoolVar(&f.keep, "skip-existing", false, "request nothing for a file that exists: that is success")
	fs.BoolVar(&f.fsync, "fsync", false, "flush files to disk, so that they survive a power failure")
	fs.BoolVarP(&f.remoteTime, "remote-time", "R", false, "set the time of files to that of their documents")
	flags.TextVar(fs, &f.resume, "continue-at", "C", "resume at `OFFSET` (- uses the size of the file)")
	flags.TextVar(fs, &f.byteRange, "range", "r", "retrieve only the bytes `A-B`")
	flags.TextVar(fs, &f.checksum, "checksum", "", "verify by sha256:HEX, `FILE` (SHA256SUMS, Metalink, ...) or server")
}

func (f *Flags) addViews(fs *pflag.FlagSet) {
	fs.BoolVarP(&f.head, "head", "I", false, "print only the metadata, not the document (reads 16 KiB of http pages)")
	fs.BoolVarP(&f.include, "include", "i", false, "print the metadata before the document or the page of a refusal (http)")
	fs.BoolVar(&f.failBody, "fail-with-body", false, "http: write the page of a refusal (404 Not Found) as if it was the document")
	fs.BoolVar(&f.json, "json", false, "print one JSON object about each result; write documents only to -o and -O")
	fs.StringVarP(&f.writeOut, "write-out", "w", "", "print `FORMAT` about each result (deref help formats)")
	flags.TextVar(fs, &f.format, "format", "", "print the document as `VIEW`: raw, text, html, json, uri-list, ldif, mbox")
	fs.BoolVar(&f.fragment, "fragment", false, "print only the part that #FRAGMENT names: an HTML id, lines of a text (line=10,20)")
	fs.BoolVar(&f.links, "links", false, "list the links of the menu or page")
	flags.NumberVar(fs, &f.link, "link", 0, 1, math.MaxInt, "dereference the `N`th link of the menu or page")
}

func (f *Flags) addQueries(fs *pflag.FlagSet) {
	fs.Var(&f.urls, "url", "curl's flag: dereference `URI`, as without the flag")
	fs.MarkHidden("url")
	fs.BoolVarP(&f.get, "get", "G", false, "curl's flag: append the words of --data and --data-urlencode to the query")
	fs.MarkHidden("get")
	fs.Func("data-urlencode", "curl's flag: with -G, append `NAME=TEXT` to the query, TEXT percent-encoded", f.addQuery)
	fs.MarkHidden("data-urlencode")
	fs.Func("url-query", "http: append `NAME=TEXT` to the query, TEXT percent-encoded; +TEXT as it is", f.addQuery)
}

func (f *Flags) addTrace(fs *pflag.FlagSet) {
	f.TraceFlags.Add(fs)
	fs.BoolVar(&f.strict, "strict", false, "report what servers do against their specifications, with the section")
	flags.TextVar(fs, &f.replay, "replay", "", "replay the conversation in `FILE`, without a network (help recordings)")
	fs.BoolVarP(&f.silent, "silent", "s", false, "print no error lines")
	fs.BoolVarP(&f.showError, "show-error", "S", false, "with -s: still print error lines")
}

func Command(fs *pflag.FlagSet) func(context.Context, *app.App, []string) error {
	var f Flags
	flags.AddSections(fs, f.Sections())
	return f.run
}

// run dereferences the URIs of the command line and the lists.
func (f *Flags) run(ctx context.Context, a *app.App, args []string) (err error) {
	a.Silent, a.Quiet = f.silent && !f.showError, f.silent
	if err := f.parseWriteOut(a); err != nil {
		return err
	}
	o, err := f.request(ctx, a)
	if err != nil {
		return err
	}
	ts, err := f.named(o, args)
	if err != nil {
		return err
	}
	f.Lists = len(f.input) > 0
	client, err := f.Client(a)
	if err != nil {
		return err
	}
	defer client.Close()
	replayed, err := request.Replay(f.replay, client)
	if err != nil {
		return err
	}
	request.WarnOfSecrets(a, client, f.Warc, f.Record, f.Trace)
	done, err := f.Traces(a, o, f.Notes)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, done()) }()
	defer f.CloseArchives()
	ctx, archived, err := f.Open(ctx, a, client, f.force, f.earlierRun())
	if err != nil {
		return err
	}
	c, err := f.command(a, client, o)
	if err == nil {
		if c.verification, err = f.verification(ctx, a, client); err == nil && len(ts) == 0 && len(f.input) == 0 {
			ts, err = c.metalinkTargets()
		}
	}
	if err != nil {
		return archived.Finish(ctx, err)
	}
	c.archive = archived
	defer c.close()
	err = c.run(ctx, ts)
	return archived.Finish(ctx, errors.Join(err, f.SaveCookies(a), replayed()))
}

// request returns the Options for all URIs.
func (f *Flags) request(ctx context.Context, a *app.App) (*fetch.Options, error) {
	if date, ok := strings.CutPrefix(f.Changed, "-"); ok {
		var err error
		if f.notAfter, err = request.ParseDate(date); err != nil {
			return nil, err
		}
		f.Changed = ""
	}
	if f.isFirstRun() {
		f.Changed = ""
	}
	o, err := f.Options(ctx, a)
	if err != nil {
		return nil, err
	}
	if f.head {
		o.Op = fetch.Metadata
	}
	if slices.Contains(f.out, "") {
		return nil, flags.Usage("-o '': the file name is empty; -O derives it from the URI")
	}
	if f.checksum == byServer {
		flags.SetAll(o.Set, ".want-digest", "yes")
	}
	o.Refusals = (f.failBody || f.include || f.json) && !f.head
	o.Part = f.fragment || f.link > 0 // a link to a part of a message means only that part
	if f.format == "mbox" {
		// This requests the messages instead of their listing. It is not a view of the listing.
		flags.SetAll(o.Set, ".view", "mbox")
		f.format, f.mbox = string(render.Raw), true
	}
	o.Range, err = parseRange(f.byteRange)
	return o, err
}

// named parses the URIs of the command line. With --input there may be none.
func (f *Flags) named(o *fetch.Options, args []string) ([]request.Target, error) {
	args = append(slices.Clone(f.urls), args...)
	switch {
	case len(args) == 0 && len(f.input) > 0 && len(f.out) > 0:
		return nil, &flags.UsageError{Text: "-o is for the URIs of the command line", Hint: "-O and --output-dir DIR write the documents of a list"}
	case len(args) == 0 && (len(f.input) > 0 || f.checksum != ""):
		return nil, nil
	}
	if f.json && slices.ContainsFunc(args, isData) {
		return nil, &flags.UsageError{Text: "--json prints the result as JSON, and takes no value", Hint: flags.NoUploads}
	}
	if f.get { // the words of --data are no longer those for gopher
		f.query = slices.Concat(o.Set["gopher.data"], f.query)
		delete(o.Set, "gopher.data")
	}
	ts, err := f.Targets(o, args)
	for i, t := range ts {
		if t.Err == nil {
			ts[i].URI, ts[i].Err = f.withQuery(t.URI)
		}
	}
	switch {
	case err != nil:
	case len(o.Set["gopher.data"]) > 0 && len(f.input) == 0 && !slices.ContainsFunc(f.Wanted, notHTTP):
		err = &flags.UsageError{Text: "--data answers a question of a gopher form", Hint: flags.NoUploads}
	case len(f.out) > len(args):
		err = flags.Usage("there are more -o flags than URIs")
	case len(f.out) == len(args) && f.remoteName && len(f.input) == 0:
		err = flags.Usage("-O has no effect: each URI has its own -o")
	}
	return ts, err
}

// notHTTP reports whether a scheme may have a question that --data answers, or refer to one. For http, the user probably means curl's --data.
func notHTTP(scheme string) bool { return scheme != "http" && scheme != "https" }

// parseRange parses the value of -r, as curl does.
func parseRange(s string) (r fetch.Range, err error) {
	if s == "" {
		return r, nil
	}
	if r, err = fetch.ParseRange(s); err != nil {
		u := &flags.UsageError{Text: fmt.Sprintf("-r %s: must be A-B, A- or -N", s)}
		if strings.Contains(s, ",") {
			u.Hint = "request one range at a time: -r " + s[:strings.IndexByte(s, ',')]
		}
		return r, u
	}
	return r, nil
}
