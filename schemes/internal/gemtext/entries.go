package gemtext

import (
	"errors"
	"io"
	"iter"
	"strconv"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// Entries yields the links and the text lines of a document whose URI is base, with the limits of env. See Lines for prompts.
func Entries(r io.Reader, base uri.URI, env *fetch.Env, prompts bool) iter.Seq2[fetch.Entry, error] {
	most := env.Limits().Line
	return func(yield func(fetch.Entry, error) bool) {
		for l, err := range Lines(r, most, prompts) {
			if errors.Is(err, ErrTooLong) {
				err = fetch.Errorf(fetch.ErrLimit, "a line is longer than %d bytes", most)
			}
			strict(l, env)
			if !yield(entry(l, base), err) || err != nil {
				return
			}
		}
	}
}

// strict reports a link that is not a URI reference until something is escaped in it.
func strict(l Line, env *fetch.Env) {
	if l.Link == "" || !env.Strict() {
		return
	}
	if u, err := uri.Parse(l.Link); err != nil || u.Grammar() != nil {
		env.Deviates("RFC 3986 Appendix A", "a link of the page", "not a URI reference")
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
