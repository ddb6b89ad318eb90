package gemtext

import (
	"errors"
	"io"
	"iter"
	"strconv"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// Entries yields the links and the text lines of a document whose URI is base. See Lines for most and prompts.
func Entries(r io.Reader, base uri.URI, most int, prompts bool) iter.Seq2[fetch.Entry, error] {
	return func(yield func(fetch.Entry, error) bool) {
		for l, err := range Lines(r, most, prompts) {
			if errors.Is(err, ErrTooLong) {
				err = fetch.Errorf(fetch.ErrLimit, "a line is longer than %d bytes", most)
			}
			if !yield(entry(l, base), err) || err != nil {
				return
			}
		}
	}
}

func entry(l Line, base uri.URI) fetch.Entry {
	e := fetch.Entry{Title: l.Text, Kind: fetch.KindText, Size: -1}
	if l.Rank > 0 {
		e.Attr = map[string][]string{"heading": {strconv.Itoa(l.Rank)}}
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
