package mirror

import (
	"encoding/hex"
	"hash"
	"io"
	"iter"
	"os"

	"example.org/deref/fetch"
	"example.org/deref/fetch/charset"
	"example.org/deref/uri"
	"example.org/deref/uri/links"
)

// verified is a file whose end is an error if the bytes are not those of the manifest.
type verified struct {
	file *os.File
	want string // SHA-256, or "" if unknown
	sum  hash.Hash
}

func (v *verified) Read(p []byte) (int, error) {
	n, err := v.file.Read(p)
	v.sum.Write(p[:n])
	if err == io.EOF && v.want != "" && hex.EncodeToString(v.sum.Sum(nil)) != v.want {
		return n, fetch.Errorf(fetch.ErrChanged, "%s was changed since it was fetched", v.file.Name())
	}
	return n, err
}

// menuEntries yields the links of a stored menu.
func menuEntries(r io.Reader, contentType string, at uri.URI) iter.Seq2[fetch.Entry, error] {
	return func(yield func(fetch.Entry, error) bool) {
		list := links.Gopher(r)
		if isGemtext(at) {
			text, in, err := charset.Page(r, contentType, at)
			if err != nil {
				yield(fetch.Entry{}, err)
				return
			}
			list = links.Gemtext(text, in)
		}
		for l, err := range list {
			switch {
			case err != nil && l == links.Link{}:
				yield(fetch.Entry{}, fetch.LimitError(err))
				return
			case err != nil:
				continue
			}
			e := fetch.Entry{URI: secured(at, l.URI), Title: l.Title, Kind: fetch.KindFile, Size: -1}
			if !isGemtext(at) {
				e.Kind, e.Attr = itemKind(l.Element), map[string][]string{"item": {l.Element}}
			}
			if !yield(e, nil) {
				return
			}
		}
	}
}

// itemKind returns the kind of a gopher item.
func itemKind(item string) fetch.EntryKind {
	switch item {
	case "1":
		return fetch.KindMenu
	case "7":
		return fetch.KindSearch
	case "2", "8", "T":
		return fetch.KindSession
	}
	return fetch.KindFile
}
