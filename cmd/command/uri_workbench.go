package command

import (
	"fmt"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/uri"
	"example.org/deref/uri/links"
)

// A workbench carries out the operations of `deref uri`, one row at a time.
type workbench struct {
	registry fetch.Registry
}

// A row has the operands of an operation.
type row struct {
	Mode, Base, Ref, Input, Other, Context, Safe string
}

func (r *row) set(field, value string) {
	switch field {
	case "base":
		r.Base = value
	case "ref":
		r.Ref = value
	case "other":
		r.Other = value
	default:
		r.Input = value
	}
}

func (r *row) mode() (uri.Mode, error) {
	m, ok := uri.ParseMode(r.Mode)
	if !ok {
		return m, fmt.Errorf("no mode %q", r.Mode)
	}
	return m, nil
}

// parsed parses the row's operands in its mode.
func (w *workbench) parsed(r *row, texts ...string) (m uri.Mode, us []uri.URI, err error) {
	if m, err = r.mode(); err != nil {
		return m, nil, err
	}
	for _, t := range texts {
		octets, ok := m.Octets(t)
		if !ok {
			return m, nil, fmt.Errorf("a character is not in ISO Latin 1, which %s uses", m)
		}
		u, err := m.Parse(octets)
		if err != nil {
			return m, nil, err
		}
		us = append(us, u)
	}
	return m, us, nil
}

// rules returns the scheme's rules. It returns nil if the mode does not know of schemes, or the scheme is unknown.
func (w *workbench) rules(m uri.Mode, u uri.URI) *uri.Rules {
	if m.Unicode() && m != uri.RFC3986Scheme {
		return nil
	}
	s, ok := w.registry.Lookup(u.Scheme())
	if !ok {
		return nil
	}
	return &s.Rules
}

// Results of a single value, named so that JSON and text output use the same word.
type (
	uriResult struct {
		URI string `json:"uri"`
	}
	refResult struct {
		Ref string `json:"ref"`
	}
	equalResult struct {
		Equal bool `json:"equal"`
	}
	outputResult struct {
		Output string `json:"output"`
	}
	urisResult struct {
		URIs []string `json:"uris"`
	}
)

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

func (w *workbench) parse(r *row) (any, error) {
	m, us, err := w.parsed(r, r.Input)
	if err != nil {
		return nil, err
	}
	u := us[0]
	opt := func(e uri.Escaped, has bool) *string {
		if !has {
			return nil
		}
		s := m.Text(string(e))
		return &s
	}
	_, hasAuthority := u.Authority()
	return parseResult{
		Scheme: opt(uri.Escaped(u.Scheme()), u.IsAbs()), Authority: opt(u.Authority()), Userinfo: opt(u.Userinfo()), Host: opt(u.Host(), hasAuthority),
		Port: opt(uri.Escaped(u.Port()), u.HasPort()), Path: opt(u.Path(), true), Query: opt(u.Query()), Fragment: opt(u.Fragment()),
	}, nil
}

func (w *workbench) resolve(r *row) (any, error) {
	m, us, err := w.parsed(r, r.Base, r.Ref)
	if err != nil {
		return nil, err
	}
	return uriResult{m.Text(m.Resolve(us[0], us[1]).String())}, nil
}

func (w *workbench) relativize(r *row) (any, error) {
	m, us, err := w.parsed(r, r.Base, r.Input)
	if err != nil {
		return nil, err
	}
	return refResult{m.Text(m.Relativize(us[0], us[1]).String())}, nil
}

func (w *workbench) normalize(r *row) (any, error) {
	m, us, err := w.parsed(r, r.Input)
	if err != nil {
		return nil, err
	}
	return uriResult{m.Text(m.Normalize(us[0], w.rules(m, us[0])).String())}, nil
}

func (w *workbench) equal(r *row) (any, error) {
	m, us, err := w.parsed(r, r.Input, r.Other)
	if err != nil {
		return nil, err
	}
	return equalResult{m.Equal(us[0], us[1], w.rules(m, us[0]))}, nil
}

func (w *workbench) encode(r *row) (any, error) {
	m, us, err := w.parsed(r, r.Input)
	if err != nil {
		return nil, err
	}
	safe, ok := uri.ParseSafe(r.Safe)
	if !ok {
		return nil, fmt.Errorf("no safe character set %q", r.Safe)
	}
	return uriResult{m.Text(m.Encode(us[0], safe).String())}, nil
}

func (w *workbench) place(r *row) (uri.Mode, uri.Context, string, error) {
	m, err := r.mode()
	if err != nil {
		return m, 0, "", err
	}
	c, ok := uri.ParseContext(r.Context)
	if !ok {
		return m, c, "", fmt.Errorf("no context %q", r.Context)
	}
	octets, ok := m.Octets(r.Input)
	if !ok {
		return m, c, "", fmt.Errorf("a character is not in ISO Latin 1, which %s uses", m)
	}
	return m, c, octets, nil
}

func (w *workbench) escape(r *row) (any, error) {
	m, c, s, err := w.place(r)
	if err != nil {
		return nil, err
	}
	return outputResult{m.Text(string(c.Escape(m, s)))}, nil
}

func (w *workbench) unescape(r *row) (any, error) {
	m, c, s, err := w.place(r)
	if err != nil {
		return nil, err
	}
	out, err := c.Unescape(uri.Escaped(s))
	if err != nil {
		return nil, err
	}
	return outputResult{m.Text(out)}, nil
}

func (w *workbench) scheme(r *row) (any, error) {
	m, us, err := w.parsed(r, r.Input)
	if err != nil {
		return nil, err
	}
	return w.read(us[0], m)
}

// read returns u as its scheme parses it.
func (w *workbench) read(u uri.URI, m uri.Mode) (any, error) {
	s, ok := w.registry.Lookup(u.Scheme())
	if !ok || s.Read == nil {
		return nil, fetch.Errorf(fetch.ErrUnsupported, "scheme %q has no parser of its own", u.Scheme())
	}
	return s.Read(u, m)
}

func (w *workbench) finder() uri.Finder {
	return uri.Finder{Known: func(scheme string) bool { _, ok := w.registry.Lookup(scheme); return ok }}
}

// extract finds the URIs of a text, or the references of a page in mode html.
func (w *workbench) extract(r *row) (any, error) {
	out := urisResult{URIs: []string{}}
	if r.Mode != "html" {
		for f := range w.finder().Find(r.Input) {
			out.URIs = append(out.URIs, f.URI.String())
		}
		return out, nil
	}
	base, err := uri.Parse(r.Base)
	if err != nil {
		return nil, err
	}
	for l, err := range links.HTML(strings.NewReader(r.Input), uri.Resolver{Base: base}) {
		if err == nil {
			out.URIs = append(out.URIs, l.URI.String())
		} else if l.Ref == "" {
			return nil, err // the page cannot be read further; a reference that is not a URI is skipped
		}
	}
	return out, nil
}
