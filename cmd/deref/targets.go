package main

import (
	"os"
	"path/filepath"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/fetch/batch"
	"example.org/deref/uri"
)

// A target is an argument that names what is wanted.
type target struct {
	said string // as typed
	uri  uri.URI
	err  error // why it is no URI, which is the failure of this one alone
}

// targets parses the URIs of the command line and resolves the partial ones.
func (f *requestFlags) targets(o *fetch.Options, args []string) ([]target, error) {
	if len(args) == 0 {
		return nil, usageError("no URI given; deref help shows the usage")
	}
	list := make([]target, len(args))
	for i, s := range args {
		u, err := f.parse(o, s)
		list[i] = target{s, u, err}
	}
	return list, nil
}

// parse reads one argument.
func (f *requestFlags) parse(o *fetch.Options, s string) (uri.URI, error) {
	u, err := parseURI(o.Mode, s)
	if err != nil {
		return u, err
	}
	if !u.IsAbs() && !o.Base.IsZero() {
		u = o.Mode.Resolve(o.Base, u)
	}
	u = f.withoutDots(u)
	if u, err = here(o.Mode, u); err == nil {
		f.wanted = append(f.wanted, u.Scheme())
	}
	return u, err
}

// withoutDots removes the dot segments of an http path, as from a Location (RFC 3986 section 5.2.2): curl and browsers do not send them either.
func (f *wishFlags) withoutDots(u uri.URI) uri.URI {
	if s := u.Scheme(); f.pathAsIs || s != "http" && s != "https" || !strings.Contains(string(u.Path()), "/.") {
		return u
	}
	return uri.RFC3986.Resolve(u, u)
}

// subject names the target in an error line where there is more than one.
func (t target) subject(r fetch.Registry, of int) string {
	switch {
	case of < 2:
		return ""
	case t.err != nil:
		return masked(t.said)
	}
	return r.Redact(t.uri)
}

// items makes a list of targets.
func items(ts []target) func(yield func(*batch.Item, error) bool) {
	return func(yield func(*batch.Item, error) bool) {
		for _, t := range ts {
			err := t.err
			if err != nil {
				err = fetch.Errorf(fetch.KindOf(err), "%s: %w", masked(t.said), err)
			}
			if !yield(&batch.Item{URI: t.uri, Said: t.said}, err) {
				return
			}
		}
	}
}

// here makes file:NAME absolute: what a person types in a folder is meant from there, although RFC 8089 has no such form.
func here(m uri.Mode, u uri.URI) (uri.URI, error) {
	path := string(u.Path())
	if _, has := u.Authority(); u.Scheme() != "file" || has || path == "" || path[0] == '/' {
		return u, nil
	}
	dir, err := os.Getwd()
	if err != nil {
		return u, fetch.Errorf(fetch.ErrLocal, "%w", err)
	}
	return parseURI(m, folderURI(m, dir)+strings.TrimPrefix(u.String(), "file:"))
}

// folderURI names a folder of this machine by its absolute path.
func folderURI(m uri.Mode, path string) string {
	name := "file:///"
	for part := range strings.SplitSeq(filepath.ToSlash(path), "/") {
		if part != "" {
			name += string(uri.Segment.Escape(m, part)) + "/"
		}
	}
	return name
}

func parseURI(m uri.Mode, s string) (uri.URI, error) {
	u, err := m.Parse(s)
	if err != nil {
		return u, fetch.Errorf(fetch.ErrRefusedURL, "%w", err)
	}
	return u, nil
}
