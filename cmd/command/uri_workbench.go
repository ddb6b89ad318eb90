package command

import (
	"fmt"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/uri"
	"example.org/deref/uri/links"
)

// A workbench carries out the operations of `deref uri`.
type workbench struct {
	registry fetch.Registry
	mode     uri.Mode
	place    uri.Context
	safe     uri.Safe
}

// onURIs makes an operation on URIs one on arguments.
func onURIs(do func(w *workbench, us []uri.URI) (any, error)) func(w *workbench, args []string) (any, error) {
	return func(w *workbench, args []string) (any, error) {
		us, err := w.parsed(args)
		if err != nil {
			return nil, err
		}
		return do(w, us)
	}
}

// parsed parses arguments in the mode.
func (w *workbench) parsed(texts []string) (us []uri.URI, err error) {
	for _, t := range texts {
		octets, err := w.octets(t)
		if err != nil {
			return nil, err
		}
		u, err := w.mode.Parse(octets)
		if err != nil {
			return nil, err
		}
		us = append(us, u)
	}
	return us, nil
}

// octets returns a text as URIs of the mode have it.
func (w *workbench) octets(text string) (string, error) {
	octets, ok := w.mode.Octets(text)
	if !ok {
		return "", fmt.Errorf("a character is not in ISO Latin 1, which %s uses", w.mode)
	}
	return octets, nil
}

// rules returns the scheme's rules. It returns nil if the mode does not know of schemes, or the scheme is unknown.
func (w *workbench) rules(u uri.URI) *uri.Rules {
	if w.mode.Unicode() && w.mode != uri.RFC3986Scheme {
		return nil
	}
	s, ok := w.registry.Lookup(u.Scheme())
	if !ok {
		return nil
	}
	return &s.Rules
}

// text returns the result of a single text: a map with one key, so that JSON and text output use the same word.
func (w *workbench) text(key, octets string) (any, error) {
	return map[string]string{key: w.mode.Text(octets)}, nil
}

type parseResult struct {
	Scheme    *string `json:"scheme"`
	Authority *string `json:"authority"`
	Userinfo  *string `json:"userinfo"`
	Host      *string `json:"host"`
	Port      *string `json:"port"`
	Path      *string `json:"path"`
	Query     *string `json:"query"`
	Fragment  *string `json:"fragment"`
}

func (w *workbench) parse(us []uri.URI) (any, error) {
	u := us[0]
	opt := func(e uri.Escaped, has bool) *string {
		if !has {
			return nil
		}
		s := w.mode.Text(string(e))
		return &s
	}
	_, hasAuthority := u.Authority()
	return parseResult{
		Scheme: opt(uri.Escaped(u.Scheme()), u.IsAbs()), Authority: opt(u.Authority()), Userinfo: opt(u.Userinfo()), Host: opt(u.Host(), hasAuthority),
		Port: opt(uri.Escaped(u.Port()), u.HasPort()), Path: opt(u.Path(), true), Query: opt(u.Query()), Fragment: opt(u.Fragment()),
	}, nil
}

func (w *workbench) resolve(us []uri.URI) (any, error) {
	return w.text("uri", w.mode.Resolve(us[0], us[1]).String())
}

func (w *workbench) normalize(us []uri.URI) (any, error) {
	return w.text("uri", w.mode.Normalize(us[0], w.rules(us[0])).String())
}

func (w *workbench) encode(us []uri.URI) (any, error) {
	return w.text("uri", w.mode.Encode(us[0], w.safe).String())
}

func (w *workbench) relativize(us []uri.URI) (any, error) {
	return w.text("ref", w.mode.Relativize(us[0], us[1]).String())
}

func (w *workbench) equal(us []uri.URI) (any, error) {
	return map[string]bool{"equal": w.mode.Equal(us[0], us[1], w.rules(us[0]))}, nil
}

func (w *workbench) escape(args []string) (any, error) {
	s, err := w.octets(args[0])
	if err != nil {
		return nil, err
	}
	return w.text("output", string(w.place.Escape(w.mode, s)))
}

func (w *workbench) unescape(args []string) (any, error) {
	s, err := w.octets(args[0])
	if err == nil {
		s, err = w.place.Unescape(uri.Escaped(s))
	}
	if err != nil {
		return nil, err
	}
	return w.text("output", s)
}

// scheme returns a URI as its scheme parses it.
func (w *workbench) scheme(us []uri.URI) (any, error) {
	s, ok := w.registry.Lookup(us[0].Scheme())
	if !ok || s.Read == nil {
		return nil, fetch.Errorf(fetch.ErrUnsupported, "scheme %q has no parser of its own", us[0].Scheme())
	}
	return s.Read(us[0], w.mode)
}

// extract finds the URIs of a text, or the references of a page.
func (w *workbench) extract(text string, isPage bool, base uri.URI) (uris []string, err error) {
	uris = []string{}
	if !isPage {
		known := func(scheme string) bool { _, ok := w.registry.Lookup(scheme); return ok }
		for f := range (uri.Finder{Known: known}).Find(text) {
			uris = append(uris, f.URI.String())
		}
		return uris, nil
	}
	for l, err := range links.HTML(strings.NewReader(text), uri.Resolver{Base: base}) {
		if err == nil {
			uris = append(uris, l.URI.String())
		} else if l.Ref == "" {
			return uris, err // the page cannot be read further; a reference that is not a URI is skipped
		}
	}
	return uris, nil
}
