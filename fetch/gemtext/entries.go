package gemtext

import (
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
