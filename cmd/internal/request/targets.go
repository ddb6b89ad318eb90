package request

import (
	"os"
	"path/filepath"
	"strings"

	"example.org/deref/cmd/internal/flags"
	"example.org/deref/fetch"
	"example.org/deref/fetch/batch"
	"example.org/deref/uri"
)

// A Target is an argument that is a URI.
type Target struct {
	Arg   string // as typed
	URI   uri.URI
	Err   error    // why it is not a URI; the other targets are not affected
	Group int      // the number of the argument, which may stand for several URIs
	words []string // that were chosen in the pattern of the argument: #1 in -o is the first
}

// Targets parses the URIs of the command line, expands their patterns, and resolves relative references.
func (f *Flags) Targets(o *fetch.Options, args []string) ([]Target, error) {
	if len(args) == 0 {
		return nil, flags.Usage("no URI given; deref help shows the usage")
	}
	list := make([]Target, 0, len(args))
	for i, arg := range args {
		all, err := f.expand(o.Mode, arg)
		if err != nil {
			return nil, err
		}
		for _, t := range all {
			t.URI, t.Err = f.Parse(o, t.Arg)
			t.Group = i
			list = append(list, t)
		}
	}
	return list, nil
}

// Parse parses one argument.
func (f *Flags) Parse(o *fetch.Options, s string) (uri.URI, error) {
	u, err := parseURI(o.Mode, s)
	if err != nil {
		return u, err
	}
	if !u.IsAbs() && !o.Base.IsZero() {
		u = o.Mode.Resolve(o.Base, u)
	}
	u = f.WithoutDots(u)
	if u, err = absoluteFile(o.Mode, u); err == nil {
		f.Wanted = append(f.Wanted, u.Scheme())
	}
	return u, err
}

// WithoutDots removes the dot segments of an http path (RFC 3986 section 5.2.2), as curl and browsers do.
func (f *objectFlags) WithoutDots(u uri.URI) uri.URI {
	if s := u.Scheme(); f.pathAsIs || s != "http" && s != "https" || !strings.Contains(string(u.Path()), "/.") {
		return u
	}
	return uri.RFC3986.Resolve(u, u)
}

// Subject returns the target's name for an error line. It returns "" if there is only one target.
func (t Target) Subject(r fetch.Registry, of int) string {
	switch {
	case of < 2:
		return ""
	case t.Err != nil:
		return flags.MaskLogin(t.Arg)
	}
	return r.Redact(t.URI)
}

// Items returns targets as a list for package batch.
func Items(ts []Target) func(yield func(*batch.Item, error) bool) {
	return func(yield func(*batch.Item, error) bool) {
		for _, t := range ts {
			err := t.Err
			if err != nil {
				err = fetch.Errorf(fetch.KindOf(err), "%s: %w", flags.MaskLogin(t.Arg), err)
			}
			if !yield(&batch.Item{URI: t.URI, Text: t.Arg}, err) {
				return
			}
		}
	}
}

// absoluteFile makes file:NAME absolute, relative to the current directory. RFC 8089 does not have this form, but users type it.
func absoluteFile(m uri.Mode, u uri.URI) (uri.URI, error) {
	path := string(u.Path())
	if _, has := u.Authority(); u.Scheme() != "file" || has || path == "" || path[0] == '/' {
		return u, nil
	}
	dir, err := os.Getwd()
	if err != nil {
		return u, err
	}
	return parseURI(m, DirectoryURI(m, dir)+strings.TrimPrefix(u.String(), "file:"))
}

// DirectoryURI returns the URI of a local directory with this absolute path.
func DirectoryURI(m uri.Mode, path string) string {
	name := "file:///"
	for part := range strings.SplitSeq(filepath.ToSlash(path), "/") {
		if part != "" {
			name += string(uri.Segment.Escape(m, part)) + "/"
		}
	}
	return name
}

// parseURI parses a URI or IRI. Bytes that are not UTF-8, typed in another locale, are escaped.
func parseURI(m uri.Mode, s string) (uri.URI, error) {
	u, err := m.Parse(s)
	if err != nil {
		return u, fetch.Errorf(fetch.ErrRefusedURL, "%w", err)
	}
	return u.ASCII(), nil
}
