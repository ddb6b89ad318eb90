package command

import (
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/pflag"

	"example.org/deref/cmd/internal/app"
	"example.org/deref/cmd/internal/flags"
	"example.org/deref/cmd/internal/request"
	"example.org/deref/fetch"
	"example.org/deref/fetch/batch"
	"example.org/deref/fetch/check"
	"example.org/deref/fetch/scope"
	"example.org/deref/uri"
)

// checkSelection is the part of checkFlags that selects links and pages.
type checkSelection struct {
	include, exclude scope.Patterns
	accept           []check.Statuses
	offline          bool
	rootDir          string
	baseline         string

	recursive bool
	crawl     check.Crawl
	most      int // pages
	state     string
}

func (f *checkSelection) addLinks(fs *pflag.FlagSet) {
	patternsVar(fs, &f.include, false, "include", "test only links that `PATTERN` matches: a glob of the name, the host or the URI, or re:REGEXP of the URI")
	patternsVar(fs, &f.exclude, false, "exclude", "do not test links that `PATTERN` matches")
	flags.ParsedVar(fs, &f.accept, "accept", "accept responses with these `STATUSES` only: 200..299,403, or PATTERN=200,999", check.ParseStatuses)
	fs.BoolVar(&f.offline, "offline", false, "test links to local files only; others are \"not checkable\"")
	flags.TextVar(fs, &f.rootDir, "root-dir", "", "in local files, references that begin with / refer to files in the directory `DIR`")
	flags.TextVar(fs, &f.baseline, "baseline", "", "fail only for problems that are not in `FILE`, an earlier --report in JSON")
}

func (f *checkSelection) addSite(fs *pflag.FlagSet) {
	fs.BoolVar(&f.recursive, "recursive", false, "read the pages of the whole site, not only the given ones")
	flags.NumberVar(fs, &f.crawl.Depth, "depth", 0, 1, math.MaxInt, "read pages at most `N` links from the given ones")
	flags.NumberVar(fs, &f.most, "max-count", 0, 1, math.MaxInt, "read at most `N` pages")
	patternsVar(fs, &f.crawl.Hosts, false, "hosts", "read pages of hosts that `PATTERN` matches, instead of those of the given pages")
	fs.Var((*flags.Words)(&f.crawl.Schemes), "schemes", "read pages of these schemes (`LIST`), instead of those of the given pages")
	fs.BoolVar(&f.crawl.IgnoreRobots, "ignore-robots", false, "do not request robots.txt (http, gopher, gemini)")
	fs.BoolVar(&f.crawl.Sitemaps, "sitemap", false, "also read the pages in the site's sitemap")
	flags.TextVar(fs, &f.state, "state", "", "record in `FILE` and FILE.links what is done, and continue when run again")
}

// apply sets the options that select links.
func (f *checkSelection) apply(a *app.App, o *check.Options) (err error) {
	o.Include, o.Exclude, o.Accept = f.include, f.exclude, slices.Concat(f.accept...)
	if f.offline {
		list := fetch.Registry(a.Schemes(nil))
		o.Skip = func(u uri.URI) string { return remote(list, u) }
	}
	o.Base = o.Request.Base
	if f.rootDir != "" {
		if o.Root, err = directory(o.Request.Mode, f.rootDir); err != nil {
			return err
		}
	}
	if f.baseline != "" {
		if o.Baseline, err = readBaseline(f.baseline); err != nil {
			return err
		}
	}
	if f.recursive {
		f.crawl.Number = int64(f.most)
		o.Crawl = &f.crawl
	}
	return f.addRules(o)
}

// remote returns why --offline does not test a link, or "" if it does.
func remote(list fetch.Registry, u uri.URI) string {
	if s, _ := list.Lookup(u.Scheme()); s.Local || u.Scheme() == "data" {
		return ""
	}
	return "not tested with --offline"
}

// directory returns the URI of a local directory.
func directory(m uri.Mode, name string) (uri.URI, error) {
	path, err := filepath.Abs(name)
	if err != nil {
		return uri.URI{}, err
	}
	return uri.Parse(request.DirectoryURI(m, path))
}

func readBaseline(name string) (*check.Baseline, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, fetch.Errorf(fetch.ErrLocal, "--baseline: %w", err)
	}
	defer f.Close()
	b, err := check.ReadBaseline(f)
	if err != nil {
		return nil, fetch.Errorf(fetch.ErrLocal, "--baseline %s: %w", name, err)
	}
	return b, nil
}

// addRules adds the rules of the file .derefignore in the current directory.
func (f *checkSelection) addRules(o *check.Options) error {
	in, err := os.Open(check.IgnoreFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer in.Close()
	here, err := directory(o.Request.Mode, ".")
	if err != nil {
		return err
	}
	rules, err := check.ParseIgnore(in, here)
	if err != nil {
		return fetch.Errorf(fetch.ErrLocal, "%s: %w", check.IgnoreFile, err)
	}
	o.Rules = append(o.Rules, rules)
	return nil
}

// open opens the files of --state. The caller calls close.
func (f *checkSelection) open(o *check.Options) (closeState func() error, err error) {
	if f.state == "" {
		return func() error { return nil }, nil
	}
	state, err := batch.OpenState(f.state)
	if err != nil {
		return nil, err
	}
	o.Batch.Journal, o.List = state, f.state+".links"
	return state.Close, nil
}
