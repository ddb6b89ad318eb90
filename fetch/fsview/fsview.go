// Package fsview shows what lies below a URI as an io/fs.FS: the folders of an ftp or file URI, the menus of gopher, the groups of news
// with their articles as files.
//
//	fsys, err := fsview.New(ctx, client, uri.MustParse("ftp://ftp.example/pub/"))
//	b, err := fs.ReadFile(fsys, "README")
//
// Names are those that the listing gives: the title of an entry where it can be a name, else the last part of its URI; a second entry
// of one name is called "name (2)". Entries that lead to no document or listing (texts, sessions, searches) are left out. What a
// listing does not say is unknown: a Size of 0 may mean that, and so may a zero ModTime.
//
// A listing is fetched once, when something below it is first asked for, and kept for the life of the FS. Documents are streamed and
// not kept. Errors are *fs.PathError, wrap a fetch.Kind, and are fs.ErrNotExist or fs.ErrPermission where that is what the
// server says.
package fsview

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"path"
	"sync"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// FS is a view. It is safe for concurrent use.
type FS struct {
	ctx    context.Context // the end of all its calls: io/fs has no other way to say so
	client *fetch.Client
	root   uri.URI

	mu    sync.Mutex
	known map[string]*folder
}

// maxKnown bounds how many listings are kept.
const maxKnown = 4096

// New returns the view of what lies below root, which must lead to a listing. The end of ctx ends every call of it, and every file that was
// opened through it.
func New(ctx context.Context, c *fetch.Client, root uri.URI) (*FS, error) {
	f := &FS{ctx: ctx, client: c, root: root, known: map[string]*folder{}}
	if _, err := f.folder("."); err != nil {
		return nil, err
	}
	return f, nil
}

// Open opens a file or folder.
func (f *FS) Open(name string) (fs.File, error) {
	file, err := f.open(name)
	if err != nil {
		return nil, pathError("open", name, err)
	}
	return file, nil
}

func (f *FS) open(name string) (fs.File, error) {
	n, err := f.node(name)
	if err != nil {
		return nil, err
	}
	if n.IsDir() {
		d, err := f.folder(name)
		if err != nil {
			return nil, err
		}
		return &openFolder{node: n, folder: d}, nil
	}
	d, err := f.client.Get(f.ctx, n.uri, nil)
	if err != nil {
		if d != nil {
			d.Body.Close()
		}
		return nil, err
	}
	return &openFile{node: n, body: d.Body}, nil
}

// Stat describes a file or folder by its folder's listing; the file itself is not asked for.
func (f *FS) Stat(name string) (fs.FileInfo, error) {
	n, err := f.node(name)
	if err != nil {
		return nil, pathError("stat", name, err)
	}
	return n, nil
}

// ReadDir lists a folder, sorted by name.
func (f *FS) ReadDir(name string) ([]fs.DirEntry, error) {
	n, err := f.node(name)
	if err == nil && !n.IsDir() {
		err = errNotFolder
	}
	if err != nil {
		return nil, pathError("readdir", name, err)
	}
	d, err := f.folder(name)
	if err != nil {
		return nil, pathError("readdir", name, err)
	}
	return d.entries(), nil
}

var errNotFolder = errors.New("not a folder")

// node finds what is called name.
func (f *FS) node(name string) (*node, error) {
	switch {
	case !fs.ValidPath(name):
		return nil, fs.ErrInvalid
	case name == ".":
		return &node{name: ".", mode: fs.ModeDir | 0o555, uri: f.root}, nil
	}
	parent, err := f.folder(path.Dir(name))
	if err != nil {
		return nil, err
	}
	if n := parent.find(path.Base(name)); n != nil {
		return n, nil
	}
	return nil, fs.ErrNotExist
}

// folder returns the listing of what is called name.
func (f *FS) folder(name string) (*folder, error) {
	f.mu.Lock()
	d := f.known[name]
	f.mu.Unlock()
	if d != nil {
		return d, f.ctx.Err()
	}
	n, err := f.node(name)
	if err != nil {
		return nil, err
	}
	if !n.IsDir() {
		return nil, fs.ErrNotExist // something below a file
	}
	if d, err = f.list(n.uri); err != nil {
		return nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.known) >= maxKnown {
		clear(f.known)
	}
	f.known[name] = d
	return d, nil
}

func (f *FS) list(u uri.URI) (*folder, error) {
	doc, err := f.client.Get(f.ctx, u, nil)
	if doc != nil {
		defer doc.Body.Close()
	}
	switch {
	case err != nil:
		return nil, err
	case doc.Entries == nil:
		return nil, errNotFolder
	}
	d := &folder{}
	for e, err := range doc.Entries {
		if err != nil {
			return nil, err
		}
		d.add(e)
	}
	d.sort()
	return d, nil
}

// pathError gives an error the form that io/fs wants.
func pathError(op, name string, err error) error {
	switch fetch.KindOf(err) {
	case fetch.ErrNotFound:
		err = like{err, fs.ErrNotExist}
	case fetch.ErrRefused, fetch.ErrAuth:
		err = like{err, fs.ErrPermission}
	}
	return &fs.PathError{Op: op, Path: name, Err: err}
}

// like is an error that is also another.
type like struct{ err, as error }

func (l like) Error() string   { return l.err.Error() }
func (l like) Unwrap() []error { return []error{l.err, l.as} }

var (
	_ fs.ReadDirFS = (*FS)(nil)
	_ fs.StatFS    = (*FS)(nil)
	_ io.Reader    = (*openFile)(nil)
)
