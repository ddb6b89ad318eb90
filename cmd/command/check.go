package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"example.org/deref/cmd/internal/app"
	"example.org/deref/cmd/internal/flags"
	"example.org/deref/cmd/internal/request"
	"example.org/deref/cmd/internal/terminal"
	"example.org/deref/fetch"
	"example.org/deref/fetch/check"
	"example.org/deref/uri"
)

// checkFlags are the flags of the check command.
type checkFlags struct {
	request.Flags
	checkSelection
	fixFlags
	manner
	json        bool
	github      bool
	files       flags.NonEmptyList // of reports
	all         bool
	age         flags.Pause
	silent      bool
	failSuspect bool
	names       naming
}

func (f *checkFlags) addReports(fs *pflag.FlagSet) {
	fs.BoolVar(&f.json, "json", false, "print a JSON object for each link")
	fs.BoolVar(&f.github, "github", false, "print problems as annotations for GitHub Actions")
	fs.Var(&f.files, "report", "also write a report to `FILE`: .json (deref help links), or .xml for JUnit")
	fs.BoolVarP(&f.all, "verbose", "v", false, "also report links that are good")
	fs.BoolVar(&f.failSuspect, "fail-suspect", false, "count a web page in place of another document as unavailable (a captive portal)")
	fs.BoolVarP(&f.silent, "silent", "s", false, "print no summary")
}

func (f *checkFlags) addManner(fs *pflag.FlagSet) {
	f.manner.add(fs, 1)
	f.age = flags.Pause(24 * time.Hour)
	fs.Var(&f.age, "cache-age", "with --cache: trust results that are younger than `SECONDS` (a day)")
}

func checkCommand(fs *pflag.FlagSet) action {
	var f checkFlags
	flags.AddSections(fs, append([]flags.Section{{Title: "What is tested", Add: f.addLinks}, {Title: "Whole sites", Add: f.addSite}, {Title: "What is reported", Add: f.addReports},
		{Title: "How", Add: f.addManner}, {Title: "Repair", Add: f.addFix}}, f.Flags.Sections()...))
	fs.Lookup("cache").Usage = "remember good links in the directory `DIR`, and do not test them again within --cache-age"
	return f.run
}

// checkedFile is the name of the file in the directory of --cache.
const checkedFile = "checked.jsonl"

func (f *checkFlags) run(ctx context.Context, a *app.App, args []string) (err error) {
	o := &check.Options{FailSuspect: f.failSuspect}
	if o.Request, err = f.Options(ctx, a); err != nil {
		return err
	}
	sources, err := f.sources(a, o, args)
	if err == nil {
		err = f.apply(a, o)
	}
	if err != nil {
		return err
	}
	if err := f.openCache(o); err != nil {
		return err
	}
	c, err := f.Client(a)
	if err != nil {
		return err
	}
	defer c.Close()
	o.Batch = f.batch().Polite()
	closeState, err := f.open(o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closeState()) }()
	var reports checkReports
	o.Done, o.Schemes, o.Redact, f.names.redact = func(r *check.Result) { reports.add(r) }, c.Schemes, c.Schemes.Redact, c.Schemes.Redact
	o.Unread = func(u uri.URI, why check.ErrUnread) {
		if f.all || slices.Contains(sources, u) {
			a.Warn(fmt.Errorf("%s: %w", f.names.of(u), why))
		}
	}
	copies, err := f.suggestions(c, o)
	if err != nil {
		return err
	}
	defer copies.end()
	if reports, err = f.reports(a); err != nil {
		return err
	}
	var fixer *check.Fixer
	if f.fix {
		fixer = check.NewFixer(c, o)
	}
	ctx, stop := terminal.Interruptible(ctx)
	defer stop()
	defer app.HeapFloor(app.ManyDocuments)()
	sum, err := check.Run(ctx, c, sources, o)
	err = errors.Join(err, reports.close(sum, ctx.Err()), saveChecked(o.Cache), f.SaveCookies(a))
	copies.print(ctx, a, f.reportTo(a), f.names.of)
	return f.finish(a, &sum, cmp.Or(err, f.changes(ctx, a, fixer)))
}

// finish prints the summary, and returns the error of the run, or that of the first bad link.
func (f *checkFlags) finish(a *app.App, sum *check.Summary, err error) error {
	if n := sum.Verdicts[check.Suspect]; n > 0 {
		a.Warn(fmt.Errorf("%d of the links returned a web page that is probably not the document: a captive portal or a login page", n))
	}
	if !f.silent {
		fmt.Fprintln(a.Stderr, "deref: "+sum.String())
	}
	return cmp.Or(err, app.Printed(sum.First))
}

// openCache opens the results of earlier runs.
func (f *checkFlags) openCache(o *check.Options) (err error) {
	if f.Cache == "" {
		return nil
	}
	if err := os.MkdirAll(f.Cache, 0o700); err != nil {
		return fetch.Errorf(fetch.ErrLocal, "--cache: %w", err)
	}
	if o.Cache, err = check.OpenCache(filepath.Join(f.Cache, checkedFile), time.Duration(f.age)); err != nil {
		return fetch.Errorf(fetch.ErrLocal, "--cache: %w", err)
	}
	f.Cache = "" // an HTTP cache must not answer in place of a link's server
	return nil
}

func saveChecked(c *check.Cache) error {
	if c == nil {
		return nil
	}
	if err := c.Save(); err != nil {
		return fetch.Errorf(fetch.ErrDisk, "--cache: %w", err)
	}
	return nil
}

// sources returns the documents that the arguments name: URIs, files and directories. Without arguments it is standard input.
func (f *checkFlags) sources(a *app.App, o *check.Options, args []string) (list []uri.URI, err error) {
	if len(args) == 0 {
		args = []string{"-"}
	}
	if f.names, err = newNaming(o.Request.Mode); err != nil {
		return nil, err
	}
	for _, arg := range args {
		u, err := f.sourceOf(o.Request, arg)
		if err != nil {
			return nil, err
		}
		if f.offline && arg != "-" && remote(a.Schemes(nil), u) != "" {
			return nil, flags.Usage("--offline: " + arg + " is not a local file")
		}
		f.names.add(u, arg)
		if list = append(list, u); arg == "-" {
			o.Links = fromInput(a.Stdin, o.Request.Base)
		}
	}
	return list, nil
}

// fromInput returns the links of standard input for the placeholder document inputURI, and those of the document itself for any other.
func fromInput(in io.Reader, base uri.URI) func(*fetch.Document) iter.Seq2[check.Link, error] {
	return func(d *fetch.Document) iter.Seq2[check.Link, error] {
		if d.URI.String() != inputURI {
			return check.Links(d)
		}
		given := fetch.NewDocument(io.NopCloser(in))
		given.URI, given.Type, given.Base = d.URI, "text/plain", base
		if base.IsZero() {
			given.Base = d.URI
		}
		return check.Links(given)
	}
}

// inputURI is the placeholder for standard input.
const inputURI = "data:,standard%20input"

// sourceOf reads one argument. The name of an existing file or directory is that file; any other word with a colon is a URI. The URI of a directory
// ends in a slash.
func (f *checkFlags) sourceOf(o *fetch.Options, arg string) (uri.URI, error) {
	if arg == "-" {
		return uri.Parse(inputURI)
	}
	info, err := os.Stat(arg)
	if err != nil && strings.Contains(arg, ":") {
		return f.Parse(o, arg)
	}
	if err != nil {
		return uri.URI{}, err
	}
	path, err := filepath.Abs(arg)
	if err != nil {
		return uri.URI{}, err
	}
	u := request.DirectoryURI(o.Mode, path)
	if !info.IsDir() {
		u = strings.TrimSuffix(u, "/")
	}
	return uri.Parse(u)
}
