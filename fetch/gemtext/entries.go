package gemtext

import (
	"io"
	"iter"
	"strconv"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// Entries yields an entry for each line of a document whose links are relative to base: a link, or text with the attributes of its line type.
func Entries(lines iter.Seq2[Line, error], base uri.URI) iter.Seq2[fetch.Entry, error] {
	return func(yield func(fetch.Entry, error) bool) {
		for l, err := range lines {
			if err != nil {
				yield(fetch.Entry{}, err)
				return
			}
			if !yield(entry(l, base), nil) {
				return
			}
		}
	}
}

func entry(l Line, base uri.URI) fetch.Entry {
	e := fetch.Entry{Title: l.Text, Kind: fetch.KindText, Size: -1}
	if l.Rank > 0 {
		e.Attr = map[string][]string{fetch.AttrHeading: {strconv.Itoa(l.Rank)}}
	}
	if l.Verbatim {
		e.Attr = map[string][]string{fetch.AttrVerbatim: {l.Alt}}
	}
	if l.Link == "" {
		return e
	}
	u, err := uri.Parse(l.Link)
	if err != nil {
		e.Kind, e.Attr = fetch.KindUnknown, map[string][]string{"malformed": {l.Link}}
		return e
	}
	e.Kind, e.URI = fetch.KindLink, base.Resolve(u)
	if l.Prompt {
		e.Kind = fetch.KindSearch
	}
	return e
}

// Listing yields the Entries of a document that a scheme has received, with the limits of env. prompts allows links that need input.
func Listing(r io.Reader, base uri.URI, env *fetch.Env, prompts bool) iter.Seq2[fetch.Entry, error] {
	lines := Lines(r, env.Limits().Line, prompts)
	if env.Strict() {
		lines = strict(lines, env)
	}
	return Entries(lines, base)
}

// strict reports links that are not URI references until something is escaped in them.
func strict(lines iter.Seq2[Line, error], env *fetch.Env) iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) {
		for l, err := range lines {
			if l.Link != "" && uri.Grammar(l.Link) != nil {
				env.Deviates("RFC 3986 Appendix A", "a link of the page", "not a URI reference")
			}
			if !yield(l, err) {
				return
			}
		}
	}
}
