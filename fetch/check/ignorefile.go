package check

import (
	"bufio"
	"io"
	"slices"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/fetch/scope"
	"example.org/deref/uri"
)

// IgnoreFile is the name of the file in a source directory that excludes links and files: see ParseIgnore.
const IgnoreFile = ".derefignore"

// Rules exclude links, and files of source directories.
type Rules struct {
	dir   string // of the file, as a prefix of URIs
	links scope.Patterns
	files scope.Patterns // of paths below dir
	dirs  scope.Patterns // those that end with "/"
}

// ParseIgnore reads a list of patterns, one a line, for the directory dir: of links if it contains ":", and else of the path of files or, with a final "/",
// of directories below dir. See scope.ParsePattern. A name matches in every directory, and without any "/" it is a pattern of links, too. Empty lines,
// and those that begin with "#", are comments.
func ParseIgnore(r io.Reader, dir uri.URI) (*Rules, error) {
	rules := &Rules{dir: strings.TrimSuffix(dir.String(), "/") + "/"}
	in := bufio.NewScanner(r)
	for n := 1; in.Scan(); n++ {
		line := strings.TrimSpace(in.Text())
		if line == "" || line[0] == '#' {
			continue
		}
		if err := rules.add(line); err != nil {
			return nil, fetch.Errorf(fetch.ErrLocal, "line %d: %w", n, err)
		}
	}
	if err := fetch.LineError(in.Err(), bufio.MaxScanTokenSize); err != nil {
		return nil, fetch.Errorf(fetch.ErrLocal, "%w", err)
	}
	return rules, nil
}

func (r *Rules) add(line string) error {
	if !strings.Contains(line, "/") || strings.Contains(line, ":") {
		p, err := scope.ParsePattern(line, false)
		if err != nil {
			return err
		}
		if r.links = append(r.links, p); strings.Contains(line, ":") {
			return nil
		}
	}
	p, err := scope.ParsePattern(line, true)
	if err == nil && strings.HasSuffix(line, "/") {
		r.dirs = append(r.dirs, p)
	} else if err == nil {
		r.files = append(r.files, p)
	}
	return err
}

// ExcludesLink reports whether links to u are excluded.
func (r *Rules) ExcludesLink(u uri.URI) bool {
	return r.links.MatchLink(u) || u.Scheme() == "file" && r.ExcludesFile(u.WithoutFragment(), false)
}

// ExcludesFile reports whether a file or directory is excluded as a source.
func (r *Rules) ExcludesFile(u uri.URI, isDir bool) bool {
	rest, isBelow := strings.CutPrefix(strings.TrimSuffix(u.String(), "/"), r.dir)
	path := uri.Escaped(rest).Decode()
	return isBelow && (r.files.MatchWithin(u, path) || isDir && r.dirs.MatchWithin(u, path))
}

// ignored reports whether the rules exclude a link in a document.
func (r *run) ignored(u uri.URI, from Place) bool {
	excludes := func(rules *Rules) bool { return rules.ExcludesLink(u) }
	return slices.ContainsFunc(r.options.Rules, excludes) || slices.ContainsFunc(r.rules, func(rules *Rules) bool {
		return strings.HasPrefix(from.Source.String(), rules.dir) && excludes(rules)
	})
}

// ignoredFile reports whether the rules exclude a file or directory as a source.
func (r *run) ignoredFile(u uri.URI, isDir bool) bool {
	return slices.ContainsFunc(slices.Concat(r.options.Rules, r.rules), func(rules *Rules) bool { return rules.ExcludesFile(u, isDir) })
}

// maxRules bounds the files with rules.
const maxRules = 1000

// readRules reads the IgnoreFile of a directory.
func (r *run) readRules(e fetch.Entry, dir uri.URI) error {
	d, err := r.client.Get(r.ctx, e.URI, r.options.Request)
	if d != nil {
		defer d.Body.Close()
	}
	if err != nil || len(r.rules) >= maxRules {
		return err
	}
	rules, err := ParseIgnore(d.Body, dir)
	if err != nil {
		return fetch.Errorf(fetch.ErrLocal, "%s: %w", e.URI, err)
	}
	r.rules = append(r.rules, rules)
	return nil
}
