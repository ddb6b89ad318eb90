package mirror

import (
	"context"
	"io"
	"iter"
	"os"
	"path"
	"slices"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/fetch/render"
	"example.org/deref/uri"
)

// indexFile is the page made for a directory without one.
const indexFile = "index.html"

// maxSorted is how many names of a directory are held in memory to be sorted.
const maxSorted = 20_000

// index writes a page for each directory that has no page or menu of its own.
func (m *mirror) index(ctx context.Context) error {
	if m.options.NoIndex {
		return nil
	}
	return m.eachDir(ctx, m.indexDir)
}

// eachDir calls f with the directories of the mirror, its top first.
func (m *mirror) eachDir(ctx context.Context, f func(Record) error) error {
	top, ok, err := m.manifest.byURI(m.dirKey(nil))
	if !ok {
		top = Record{URI: m.dirKey(nil), Kind: Dir}
	}
	if err == nil {
		err = f(top)
	}
	if err != nil {
		return err
	}
	return m.manifest.each(ctx, func(r Record) error {
		if r.Kind != Dir || r.Path == "" {
			return nil
		}
		return f(r)
	})
}

func (m *mirror) indexDir(r Record) error {
	for _, name := range []string{indexFile, "gophermap", "index.gmi"} {
		_, own, err := m.manifest.byPath(path.Join(r.Path, name))
		if own && r.Index && name != indexFile { // it came later than the page of an earlier run
			return m.removeIndex(r)
		}
		if own || err != nil {
			return err
		}
	}
	if fi, err := m.docs.Stat(path.Join(".", r.Path)); err != nil || !fi.IsDir() {
		return nil // nothing was saved there
	}
	if !r.Index {
		if _, err := m.docs.Lstat(path.Join(r.Path, indexFile)); !isMissing(err) {
			return nil // not created by a Run
		}
		r.Index = true
		if err := m.manifest.add(r); err != nil {
			return err
		}
	}
	sum, write, err := rendered(func(w io.Writer) error { return m.contents(w, &r) })
	if err != nil {
		return err
	}
	return m.put(path.Join(r.Path, indexFile), sum, write)
}

// removeIndex removes the page that an earlier run made.
func (m *mirror) removeIndex(r Record) error {
	if err := m.docs.Remove(path.Join(r.Path, indexFile)); err != nil && !isMissing(err) {
		return diskError(err)
	}
	r.Index = false
	return m.manifest.add(r)
}

// ownIndex reports whether the index.html of a directory was made by a Run.
func (m *mirror) ownIndex(dir string) bool {
	if dir == "." {
		r, ok, err := m.manifest.byURI(m.dirKey(nil))
		return ok && err == nil && r.Index
	}
	r, ok, err := m.manifest.byPath(dir)
	return ok && err == nil && r.Kind == Dir && r.Index
}

// contents writes the page, which lists the directory by the server's names.
func (m *mirror) contents(w io.Writer, r *Record) error {
	d := fetch.NewListing(m.entries(r))
	return render.View(w, d, render.HTML, &render.Options{Title: strings.TrimPrefix(r.URI, dirPrefix), Href: uri.URI.String})
}

func (m *mirror) entries(r *Record) iter.Seq2[fetch.Entry, error] {
	return func(yield func(fetch.Entry, error) bool) {
		for member, err := range m.members(r) {
			if name := path.Base(member.Path); name != indexFile && !yield(entryOf(&member, name), err) {
				return
			}
		}
	}
}

// members yields the records of what is in a directory and was created by a Run. It stops after an error.
func (m *mirror) members(r *Record) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		for name, err := range names(m.docs, path.Join(".", r.Path)) {
			at := path.Join(r.Path, name)
			var member Record
			ok := false
			if err == nil {
				member, ok, err = m.manifest.byPath(at)
			}
			if (err != nil || ok && member.Path == at) && !yield(member, err) || err != nil {
				return
			}
		}
	}
}

// entryOf returns the entry of a directory's member; its URI is a reference to the local copy.
func entryOf(r *Record, name string) fetch.Entry {
	e := fetch.Entry{Title: name, Kind: fetch.KindFile, Size: r.Size, Type: r.Type}
	if r.Listed != nil {
		e.Modified, e.Precision, e.ZoneUnknown = r.Listed.Modified, fetch.PrecisionOf(r.Listed.Exact), r.Listed.NoZone
	}
	ref := escaped([]string{name})
	if r.Kind == Link {
		e.Kind, e.Size = fetch.KindLink, -1
	}
	if r.Kind == Dir {
		e.Kind, e.Size = fetch.KindDir, -1
		ref += "/" + indexFile
	}
	e.URI, _ = uri.Parse(ref)
	return e
}

// names yields the names in a directory, sorted unless there are very many.
func names(root *os.Root, dir string) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		f, err := root.Open(dir)
		if err != nil {
			yield("", diskError(err))
			return
		}
		defer f.Close()
		for err = error(nil); err == nil; {
			var some []string
			some, err = f.Readdirnames(maxSorted)
			slices.Sort(some)
			for _, name := range some {
				if name != metaName && !yield(name, nil) {
					return
				}
			}
		}
		if err != io.EOF {
			yield("", diskError(err))
		}
	}
}
