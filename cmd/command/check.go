package command

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
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
	"example.org/deref/fetch/batch"
	"example.org/deref/fetch/check"
	"example.org/deref/fetch/render"
	"example.org/deref/fetch/retry"
	"example.org/deref/uri"
)

// checkFlags are the flags of the check command.
type checkFlags struct {
	request.Flags
	json, junit bool
	all         bool
	age         flags.Seconds
	parallel    int
	perHost     int
	pause       flags.Seconds
	retries     int
	silent      bool
	failSuspect bool
}

func (f *checkFlags) add(fs *pflag.FlagSet) {
	flags.AddSections(fs, append([]flags.Section{{Title: "What is reported", Add: f.addReports}, {Title: "How", Add: f.addManner}}, f.Flags.Sections()...))
	fs.Lookup("cache").Usage = "remember good links in the directory `DIR`, and do not test them again within --cache-age"
}

func (f *checkFlags) addReports(fs *pflag.FlagSet) {
	fs.BoolVar(&f.json, "json", false, "print a JSON object for each link")
	fs.BoolVar(&f.junit, "junit", false, "print a JUnit XML report for continuous-integration systems")
	fs.BoolVarP(&f.all, "verbose", "v", false, "also report links that are good")
	fs.BoolVar(&f.failSuspect, "fail-suspect", false, "count a web page in place of another document as unavailable (a captive portal)")
	fs.BoolVarP(&f.silent, "silent", "s", false, "print no summary")
}

func (f *checkFlags) addManner(fs *pflag.FlagSet) {
	flags.NumberVar(fs, &f.parallel, "parallel-max", 0, 1, flags.MaxParallel, "test at most `N` links at a time (8)")
	flags.NumberVar(fs, &f.perHost, "parallel-max-host", 2, 1, flags.MaxParallel, "at most `N` at a time on one host (2; 1 with --pause)")
	fs.Var(&f.pause, "pause", "wait `SECONDS` after each response from a host before the next request to it")
	flags.NumberVar(fs, &f.retries, "retry", 1, 0, math.MaxInt, "retry temporary failures up to `N` times")
	f.age = flags.Seconds(24 * time.Hour)
	fs.Var(&f.age, "cache-age", "with --cache: trust results that are younger than `SECONDS` (a day)")
}

func checkCommand(fs *pflag.FlagSet) func(context.Context, *app.App, []string) error {
	var f checkFlags
	f.add(fs)
	return f.run
}

// checkedFile is the name of the file in the directory of --cache.
const checkedFile = "checked.jsonl"

func (f *checkFlags) run(ctx context.Context, a *app.App, args []string) (err error) {
	o := &check.Options{FailSuspect: f.failSuspect}
	if o.Request, err = f.Options(a); err != nil {
		return err
	}
	sources, err := f.sources(a, o, args)
	if err != nil {
		return err
	}
	if f.Cache != "" {
		if err := os.MkdirAll(f.Cache, 0o700); err != nil {
			return fetch.Errorf(fetch.ErrLocal, "--cache: %w", err)
		}
		if o.Cache, err = check.OpenCache(filepath.Join(f.Cache, checkedFile), time.Duration(f.age)); err != nil {
			return fetch.Errorf(fetch.ErrLocal, "--cache: %w", err)
		}
		f.Cache = "" // an HTTP cache must not answer in place of a link's server
	}
	c, err := f.Client(a)
	if err != nil {
		return err
	}
	defer c.Close()
	if o.Batch = (batch.Options{Parallel: f.parallel, PerHost: f.perHost, Pause: time.Duration(f.pause), Retry: retry.Policy{Retries: f.retries}}); f.pause > 0 {
		o.Batch.PerHost = 1
	}
	ctx, stop := terminal.Interruptible(ctx)
	defer stop()
	report := f.report(a.Out())
	o.Done, o.Redact = report.add, c.Schemes.Redact
	o.Unread = func(u uri.URI, why check.ErrUnread) {
		if f.all || slices.Contains(sources, u) {
			a.Warn(fmt.Errorf("%s: %w", c.Schemes.Redact(u), why))
		}
	}
	sum, err := check.Run(ctx, c, sources, o)
	err = errors.Join(err, report.close(), saveChecked(o.Cache))
	if n := sum.Verdicts[check.Suspect]; n > 0 {
		a.Warn(fmt.Errorf("%d of the links returned a web page that is probably not the document: a captive portal or a login page", n))
	}
	if !f.silent {
		fmt.Fprintln(a.Stderr, "deref: "+sum.String())
	}
	if err == nil {
		err = app.Printed(sum.First)
	}
	return err
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
	for _, arg := range args {
		u, err := f.sourceOf(o.Request, arg)
		if err != nil {
			return nil, err
		}
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

// sourceOf reads one argument. The name of an existing file or directory is that file; any other word with a colon is a URI.
func (f *checkFlags) sourceOf(o *fetch.Options, arg string) (uri.URI, error) {
	if arg == "-" {
		return uri.Parse(inputURI)
	}
	info, err := os.Stat(arg)
	if err != nil && strings.Contains(arg, ":") {
		return f.Parse(o, arg)
	}
	if err != nil {
		return uri.URI{}, fetch.Errorf(fetch.ErrLocal, "%w", err)
	}
	path, err := filepath.Abs(arg)
	if err != nil {
		return uri.URI{}, fetch.Errorf(fetch.ErrLocal, "%w", err)
	}
	u := request.DirectoryURI(o.Mode, path)
	if !info.IsDir() {
		u = strings.TrimSuffix(u, "/")
	}
	return uri.Parse(u)
}

// A checkReport prints results.
type checkReport struct {
	add   func(*check.Result)
	close func() error
}

func (f *checkFlags) report(w io.Writer) checkReport {
	nothing := func() error { return nil }
	switch {
	case f.junit:
		j := check.NewJUnit(w)
		return checkReport{j.Add, j.Close}
	case f.json:
		enc := json.NewEncoder(w)
		enc.SetEscapeHTML(false)
		return checkReport{func(r *check.Result) { enc.Encode(r) }, nothing}
	}
	return checkReport{func(r *check.Result) {
		if f.all || r.Verdict.IsBad() || r.Verdict == check.Suspect {
			io.WriteString(w, checkLines(r))
		}
	}, nothing}
}

// checkLines formats a Result as text: the link and what is wrong with it, then the places that contain it.
func checkLines(r *check.Result) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%-13s %s", r.Verdict, render.Escape(r.Name()))
	if final := r.FinalName(); final != "" {
		b.WriteString(" -> " + render.Escape(final))
	}
	if r.Suspect != "" {
		b.WriteString(" (" + r.Suspect + ")")
	} else if r.Err != nil {
		b.WriteString(" (" + app.Class(r.Err) + ": " + render.Escape(r.Err.Error()) + ")")
	}
	b.WriteByte('\n')
	for _, p := range r.Places {
		fmt.Fprintf(&b, "    at %s", render.Escape(strings.Replace(r.PlaceName(p), inputURI, "standard input", 1)))
		if p.Text != "" {
			fmt.Fprintf(&b, " %q", p.Text)
		}
		b.WriteByte('\n')
	}
	if n := r.Count - len(r.Places); n > 0 {
		fmt.Fprintf(&b, "    and %d more\n", n)
	}
	return b.String()
}
