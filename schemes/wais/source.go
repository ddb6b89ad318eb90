package wais

import (
	"io"
	"iter"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/schemes/internal/waissource"
	"example.org/deref/schemes/wais/internal/z3950"
	"example.org/deref/uri"
)

// typeSource is the type of a source file, which describes a database and its location.
const typeSource = "WSRC"

// description retrieves the source file in a response to help. The catalogue, if there is one, is one of its entries.
func (x *exchange) description(a *z3950.Response) (*fetch.Document, error) {
	var source, catalogue *z3950.Hit
	for i := range a.Hits {
		switch h := &a.Hits[i]; {
		case typesOf(*h)[0] == typeSource && source == nil:
			source = h
		case catalogue == nil:
			catalogue = h
		}
	}
	x.atRest = true
	switch {
	case source == nil && len(a.Diagnostics) > 0:
		return nil, refusal(a.Diagnostics[0], false)
	case source == nil:
		return nil, fetch.Errorf(fetch.ErrNotFound, "the server has no description of the database")
	}
	b := x.source(*source)
	d, err := b.open()
	if err != nil {
		return nil, err
	}
	notes(d, a)
	var more []fetch.Entry
	if catalogue != nil {
		more = append(more, x.entry(*catalogue))
	}
	describe(d, more...)
	return d, nil
}

// describe makes d list the database of its source file, followed by the entries in more.
func describe(d *fetch.Document, more ...fetch.Entry) {
	d.ListWith(func(r io.Reader) iter.Seq2[fetch.Entry, error] {
		return func(yield func(fetch.Entry, error) bool) {
			e, err := sourceEntry(r)
			if !yield(e, err) || err != nil {
				return
			}
			for _, e := range more {
				if !yield(e, nil) {
					return
				}
			}
		}
	})
}

// source returns the document of a hit of type WSRC.
func (x *exchange) source(h z3950.Hit) *chunks {
	step := x.plan.When(ifSource)[0]
	step.Data = h.DocID
	b := &chunks{exchange: x, step: step, keep: true}
	if h.Length > 0 {
		b.to, b.declared = int64(h.Length), true
	}
	return b
}

// database retrieves the source file of a hit and returns the database that it describes. ok is false if there is none.
func (x *exchange) database(h z3950.Hit) (e fetch.Entry, ok bool, err error) {
	x.atRest = false
	b := x.source(h)
	if _, err = b.open(); err == nil {
		e, err = sourceEntry(b)
	}
	if err != nil && x.atRest && x.frames.Buffered() == 0 {
		return e, false, nil
	}
	return e, err == nil && !e.URI.IsZero(), err
}

// sourceEntry parses a source file.
func sourceEntry(r io.Reader) (fetch.Entry, error) {
	file, err := io.ReadAll(io.LimitReader(r, waissource.MaxLen+1))
	if err != nil {
		return fetch.Entry{}, err
	}
	e := fetch.Entry{Kind: fetch.KindUnknown, Size: -1, Attr: map[string][]string{}}
	s, err := waissource.Parse(string(file))
	if err != nil {
		e.Title, e.Attr["malformed"] = "a source file", []string{err.Error()}
		return e, nil
	}
	e.Title = text(s.Database)
	if u, err := uri.Parse(s.URL()); err == nil && u.IsAbs() {
		if _, err := parse(u, uri.RFC3986); err == nil {
			e.URI, e.Kind = u, fetch.KindSearch
		}
	}
	for name, v := range map[string]string{"description": s.Description, "maintainer": s.Maintainer, "cost": s.Cost, "cost-unit": s.CostUnit} {
		if v = strings.TrimSpace(text(v)); v != "" {
			e.Attr[name] = []string{v}
		}
	}
	for _, k := range s.Keywords {
		e.Attr["keyword"] = append(e.Attr["keyword"], text(k))
	}
	return e, nil
}
