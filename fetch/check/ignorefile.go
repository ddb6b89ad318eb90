package check

import (
	"bufio"
	"io"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// IgnoreFile is the name of the file in a source directory that excludes links and files: see ParseIgnore.
const IgnoreFile = ".derefignore"

// Rules exclude links, and files of source directories.
type Rules struct {
	links []Pattern
	files []Pattern // of URIs below the directory of the file
	dirs  []Pattern // those that end with "/"
}

// ParseIgnore reads a list of patterns, one a line, for the directory dir: a URI as in ParsePattern if it contains ":", "re:" and a regular expression, or
// the path of files or, with a final "/", of directories below dir, as a glob. A path without any other "/" matches in every directory. A name
// without "/" also is that of a host. Empty lines, and those that begin with "#", are comments.
func ParseIgnore(r io.Reader, dir uri.URI) (*Rules, error) {
	rules := &Rules{}
	in := bufio.NewScanner(r)
	for n := 1; in.Scan(); n++ {
		line := strings.TrimSpace(in.Text())
		if line == "" || line[0] == '#' {
			continue
		}
		if err := rules.add(line, dir); err != nil {
			return nil, fetch.Errorf(fetch.ErrLocal, "line %d: %w", n, err)
		}
	}
	if err := fetch.LineError(in.Err(), bufio.MaxScanTokenSize); err != nil {
		return nil, fetch.Errorf(fetch.ErrLocal, "%w", err)
	}
	return rules, nil
}

func (r *Rules) add(line string, dir uri.URI) error {
	if !strings.Contains(line, "/") || strings.Contains(line, ":") {
		p, err := ParsePattern(line)
		if err != nil {
			return err
		}
		if r.links = append(r.links, p); strings.Contains(line, ":") {
			return nil
		}
	}
	path, isDir := strings.CutSuffix(strings.TrimPrefix(line, "/"), "/")
	if !strings.Contains(strings.TrimSuffix(line, "/"), "/") {
		path = "*" + path // in every directory; its name begins after a slash, which matches checks
	}
	p, err := ParsePattern(strings.TrimSuffix(dir.String(), "/") + "/" + path)
	if err == nil && isDir {
		r.dirs = append(r.dirs, p)
	} else if err == nil {
		r.files = append(r.files, p)
	}
	return err
}

// ExcludesLink reports whether links to u are excluded.
func (r *Rules) ExcludesLink(u uri.URI) bool {
	return r != nil && (matchesAny(r.links, u) || u.Scheme() == "file" && r.ExcludesFile(u.WithoutFragment(), false))
}

// ExcludesFile reports whether a file or directory is excluded as a source.
func (r *Rules) ExcludesFile(u uri.URI, isDir bool) bool {
	if r == nil {
		return false
	}
	u, _ = uri.Parse(strings.TrimSuffix(u.String(), "/"))
	return matchesAny(r.files, u) || isDir && matchesAny(r.dirs, u)
}

// ignored reports whether the rules exclude a link in a document.
func (r *run) ignored(u uri.URI, from Place) bool {
	for _, rules := range r.options.Rules {
		if rules.ExcludesLink(u) {
			return true
		}
	}
	for _, d := range r.rules {
		if strings.HasPrefix(from.Source.String(), d.dir) && d.ExcludesLink(u) {
			return true
		}
	}
	return false
}

// ignoredFile reports whether the rules exclude a file or directory as a source.
func (r *run) ignoredFile(u uri.URI, isDir bool) bool {
	for _, rules := range r.options.Rules {
		if rules.ExcludesFile(u, isDir) {
			return true
		}
	}
	for _, d := range r.rules {
		if d.ExcludesFile(u, isDir) {
			return true
		}
	}
	return false
}

// A dirRules holds the rules of the IgnoreFile in a directory.
type dirRules struct {
	*Rules
	dir string
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
	r.rules = append(r.rules, dirRules{rules, strings.TrimSuffix(dir.String(), "/") + "/"})
	return nil
}
