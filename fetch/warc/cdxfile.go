package warc

import (
	"io"
	"os"
	"path/filepath"
	"slices"

	"example.org/deref/fetch"
	"example.org/deref/fetch/internal/cdx"
	"example.org/deref/fetch/internal/spill"
	"example.org/deref/fetch/wacz"
)

// An indexFile is a sorted CDXJ file, which is searched by bisection and never read as a whole to find one URI.
type indexFile struct {
	file     File
	blocks   *wacz.Index      // of a compressed index
	lines    *spool           // of an index that was written for this Archive, in place of file
	archives map[string]int32 // the numbers of the files that it indexes, by name
}

// openIndex returns the index next to an archive, or nil if there is none, or none that can be used: it is older, names other files, or has keys
// of other rules.
func openIndex(archive File) *indexFile {
	name := indexName(archive.Path)
	index, err := os.Stat(name)
	is, aerr := os.Stat(archive.Path)
	if archive.entry != "" || err != nil || aerr != nil || !index.Mode().IsRegular() || !is.Mode().IsRegular() || index.ModTime().Before(is.ModTime()) {
		return nil
	}
	if x := (&indexFile{file: File{Path: name}}); x.fits([]File{archive}) {
		return x
	}
	return nil
}

// fits reports whether an index names only these archives and has keys of the same rules, as far as its beginning shows.
func (x *indexFile) fits(archives []File) bool {
	found, wrong, seen := false, false, 0
	err := x.each("", func(line string) bool {
		e, ok := cdx.Parse(line)
		switch seen += len(line); {
		case !ok: // a header
		case !slices.ContainsFunc(archives, func(a File) bool { return a.Base == filepath.Base(e.Filename) }), cdx.Key(e.URL) != e.Key: // by other rules
			wrong = true
		default:
			found = true
		}
		return !wrong && seen < 4<<10
	})
	return err == nil && found && !wrong
}

// each calls do for the lines from the first that is not less than from on, until do returns false.
func (x *indexFile) each(from string, do func(line string) bool) error {
	if x.lines != nil {
		if err := spill.EachFrom(x.lines, x.lines.size, from, do); err != nil {
			return fetch.Errorf(fetch.ErrLocal, "the index of the archives: %w", err)
		}
		return nil
	}
	f, err := x.file.Open()
	if err != nil {
		return err
	}
	defer f.Close()
	if x.blocks != nil {
		return x.blocks.From(f, from, do)
	}
	size, err := f.Seek(0, io.SeekEnd)
	if err == nil {
		err = spill.EachFrom(f, size, from, do)
	}
	if err != nil {
		return fetch.Errorf(fetch.ErrLocal, "%s: %w", x.file.Name(), err)
	}
	return nil
}
