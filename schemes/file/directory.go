package file

import (
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/mediatype"
	"example.org/deref/uri"
)

// batch is the number of names to read at once.
const batch = 1024

// list returns the listing of an open directory, sorted by the bytes of the names, so that it does not depend on the file system.
func list(ctx context.Context, f *os.File, p *fetch.Plan, most int64) (*fetch.Document, error) {
	defer f.Close()
	if !p.Options.Range.IsZero() {
		return nil, fetch.Errorf(fetch.ErrRange, "byte ranges are not supported for directories")
	}
	var names []fs.DirEntry
	for err := error(nil); err != io.EOF && (most < 0 || int64(len(names)) <= most); {
		var more []fs.DirEntry
		more, err = f.ReadDir(batch)
		names = append(names, more...)
		if err != nil && err != io.EOF {
			return nil, withKind(err)
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(names, func(a, b fs.DirEntry) int { return cmp.Compare(a.Name(), b.Name()) })
	base := slashed(p.URI)
	d := fetch.NewListing(entries(ctx, base, f.Name(), names))
	d.Base, d.TypeReason = base, isDirectory
	return d, nil
}

// slashed returns u with a slash at its end, as the base of the entries.
func slashed(u uri.URI) uri.URI {
	if s := u.String(); !strings.HasSuffix(s, "/") {
		return uri.MustParse(s + "/")
	}
	return u
}

func entries(ctx context.Context, base uri.URI, dir string, names []fs.DirEntry) iter.Seq2[fetch.Entry, error] {
	return func(yield func(fetch.Entry, error) bool) {
		for _, n := range names {
			if err := ctx.Err(); err != nil {
				yield(fetch.Entry{}, err)
				return
			}
			if e, ok := entry(base, dir, n); ok && !yield(e, nil) {
				return
			}
		}
	}
}

// entry describes a file of the directory. It returns false if the file is already gone.
func entry(base uri.URI, dir string, n fs.DirEntry) (fetch.Entry, bool) {
	fi, err := n.Info()
	if errors.Is(err, fs.ErrNotExist) {
		return fetch.Entry{}, false
	}
	e := fetch.Entry{Title: n.Name(), Kind: fetch.KindFile, Size: -1}
	if err == nil { // else the directory may be read, and not searched
		e.Modified, e.Precision = fi.ModTime(), time.Second
		if n.Type().IsRegular() {
			e.Size = fi.Size()
		}
	}
	end := ""
	switch m := n.Type(); {
	case m.IsDir():
		e.Kind, end = fetch.KindDir, "/"
	case m.IsRegular():
		e.Type, _ = mediatype.OfName(n.Name())
	case m&fs.ModeSymlink != 0:
		e.Kind = fetch.KindLink
		if to, err := os.Readlink(filepath.Join(dir, n.Name())); err == nil {
			e.Attr = map[string][]string{"target": {to}}
		}
	default:
		e.Kind, e.Attr = fetch.KindEntry, map[string][]string{"special": {kindOf(m)}}
	}
	e.URI, err = uri.Parse(base.String() + string(uri.Segment.Escape(uri.RFC3986, n.Name())) + end)
	return e, err == nil
}
