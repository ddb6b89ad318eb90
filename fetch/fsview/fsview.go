// Package fsview shows what lies below a URI as an io/fs.FS: the folders of an ftp or file URI, the menus of gopher, the groups of news
// with their articles as files.
//
//	fsys, err := fsview.New(ctx, client, uri.MustParse("ftp://ftp.example/pub/"), nil)
//	b, err := fs.ReadFile(fsys, "README")
//
// Names are those that the listing gives: the title of an entry where it can be a name, else the last part of its URI; a second entry
// of one name is called "name (2)". Entries that lead to no document or listing (texts, sessions, searches) are left out. What a
// listing does not say is unknown: in an entry a Size of 0 may mean that, and so may a zero ModTime. A file that is open has the Size and
// ModTime of its document, and can be read from any place (io.Seeker), so http.FileServerFS(fsys) serves a view. Where the protocol does
// not tell the size, Stat of the open file reads the document to its end.
//
// Walking a view ends, whatever the server lists: what the server calls a link is one, and a folder stands in the view once, where it was
// listed first, and is a symbolic link wherever it is listed again (fs.WalkDir does not follow those; Open and Stat do); entries of other servers are left out unless Options.SpanHosts
// wants them; folders within folders have a bound.
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
	"strings"
	"sync"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// FS is a view. It is safe for concurrent use.
type FS struct {
	ctx    context.Context // the end of all its calls: io/fs has no other way to say so
	client *fetch.Client
	root   uri.URI

	span bool

	mu     sync.Mutex
	known  map[string]*folder
	places map[string]string // of each folder's URI: the first name that it was listed under
}

// Options are the wishes of a view; nil means the zero value.
type Options struct {
	SpanHosts bool // entries of other schemes, hosts and ports are shown too
}

// Bounds of what a hostile server can make us keep or walk through.
const (
	maxKnown  = 4096    // listings
	maxPlaces = 1 << 20 // folders of one view
	maxDepth  = 100     // folders within folders
)

// New returns the view of what lies below root, which must lead to a listing. The end of ctx ends every call of it, and every file that was
// opened through it.
func New(ctx context.Context, c *fetch.Client, root uri.URI, o *Options) (*FS, error) {
	f := &FS{ctx: ctx, client: c, root: root, known: map[string]*folder{}, places: map[string]string{root.Normalize().String(): "."}}
	f.span = o != nil && o.SpanHosts
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
	var d *fetch.Document
	if !n.IsDir() && !n.target().IsDir() {
		if d, n, err = f.get(n); err != nil {
			return nil, err
		}
	}
	if d != nil && !n.IsDir() {
		return &openFile{fs: f, node: n, doc: d}, nil
	}
	if d != nil {
		d.Body.Close()
	}
	l, err := f.folder(name)
	if err != nil {
		return nil, err
	}
	return &openFolder{node: n.as(folderMode), folder: l}, nil
}

// get asks for what n is, or leads to, and takes note of what it is.
func (f *FS) get(n *node) (*fetch.Document, *node, error) {
	d, err := f.client.Get(f.ctx, n.uri, nil)
	if err != nil {
		if d != nil {
			d.Body.Close()
		}
		return nil, nil, err
	}
	mode := fs.FileMode(fileMode)
	if n.link() && d.Entries != nil {
		mode = folderMode
	} else {
		n.tell(d.Size, d.Modified)
	}
	n.leadsTo(mode)
	return d, n.as(mode), nil
}

// followed is what n is, or leads to.
func (f *FS) followed(n *node) (*node, error) {
	switch {
	case !n.link():
		return n, nil
	case n.target() != 0:
		return n.as(n.target()), nil
	}
	d, n, err := f.get(n)
	if err == nil {
		d.Body.Close()
	}
	return n, err
}

// Stat describes a file or folder by its folder's listing; the file itself is asked for only where the listing calls it a link.
func (f *FS) Stat(name string) (fs.FileInfo, error) {
	n, err := f.node(name)
	if err == nil {
		n, err = f.followed(n)
	}
	if err != nil {
		return nil, pathError("stat", name, err)
	}
	return n, nil
}

// ReadDir lists a folder, sorted by name.
func (f *FS) ReadDir(name string) ([]fs.DirEntry, error) {
	n, err := f.node(name)
	if err == nil {
		n, err = f.followed(n)
	}
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
		return &node{name: ".", mode: folderMode, uri: f.root, told: &told{}}, nil
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
	if err == nil {
		n, err = f.followed(n)
	}
	if err != nil {
		return nil, err
	}
	switch {
	case !n.IsDir():
		return nil, fs.ErrNotExist // something below a file
	case strings.Count(name, "/") >= maxDepth:
		return nil, fetch.Errorf(fetch.ErrLimit, "more than %d folders within each other", maxDepth)
	}
	if d, err = f.list(n.uri); err != nil {
		return nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.place(name, d)
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
		if f.span || sameServer(f.root, e.URI) {
			d.add(e)
		}
	}
	d.sort()
	return d, nil
}

// sameServer reports whether u is on root's server. A name without a server (news:) is on every one.
func sameServer(root, u uri.URI) bool {
	if _, has := u.Authority(); !has {
		return true
	}
	return u.Scheme() == root.Scheme() && u.Hostname() == root.Hostname() && u.Port() == root.Port()
}

// place makes links of the folders in d, the listing called name, that stand elsewhere in the view already.
func (f *FS) place(name string, d *folder) {
	for _, n := range d.nodes {
		if !n.IsDir() {
			continue
		}
		key, here := n.uri.Normalize().String(), path.Join(name, n.name)
		first, known := f.places[key]
		switch {
		case known && first != here, !known && len(f.places) >= maxPlaces:
			n.mode = linkMode
			n.leadsTo(folderMode)
		case !known:
			f.places[key] = here
		}
	}
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
	_ io.Seeker    = (*openFile)(nil)
)
