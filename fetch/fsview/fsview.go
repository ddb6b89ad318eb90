// Package fsview presents what is below a URI as an io/fs.FS: the directories of an ftp or file URI, gopher menus, newsgroups with their
// articles as files, pages of gemini and of web servers that list a directory.
//
//	fsys, err := fsview.New(ctx, client, uri.MustParse("ftp://ftp.example/pub/"), nil)
//	b, err := fs.ReadFile(fsys, "README")
//
// Names are those of the listing: the title of an entry if it is a valid name, else the last part of its URI; a second entry of the same
// name is called "name (2)". The last part of the URI is also the name if the title is made from it (columns with dates, or without the
// suffix), and if the listing is a text with links: there a link to something directly below is a directory if it ends with a slash, and a
// file otherwise. Entries that are not documents or listings (texts, sessions, searches) are left out, and so are links to the listing
// itself and to those above it (".."). What a listing does not
// contain is unknown: a Size of 0 or a zero ModTime of an entry may mean that. An open file has the Size and ModTime of its document and
// can be read from any offset (io.Seeker), so http.FileServerFS(fsys) serves a view. If the protocol does not send the size, Stat of the
// open file reads the document to its end.
//
// Walking a view ends, whatever the server lists: a listed link is a symbolic link, and a directory is a directory only where it was listed
// first, and a symbolic link everywhere else (fs.WalkDir does not follow those; Open and Stat do). Entries of other servers are left out
// unless Options.SpanHosts is set, and nesting is bounded.
//
// A listing is fetched when something below it is first requested, and kept for the life of the FS. Documents are streamed and not kept.
// Errors are *fs.PathError, wrap a fetch.Kind, and are fs.ErrNotExist or fs.ErrPermission if the server reports that.
package fsview

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"sync"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// FS is a view. It is safe for concurrent use.
type FS struct {
	ctx    context.Context // for all calls, since the methods of io/fs have no context
	client *fetch.Client
	root   uri.URI
	login  fetch.Login // in root; for its server only

	span bool

	mu         sync.Mutex
	listings   map[string]*dir
	firstNames map[string]string // URI of a directory to the first name under which it was listed
}

// Options controls a view; nil means the zero value.
type Options struct {
	SpanHosts bool // include entries of other schemes, hosts and ports
}

// Bounds on what a hostile server can make us keep or visit.
const (
	maxListings = 4096    // listings
	maxDirs     = 1 << 20 // directories in one view
	maxDepth    = 100     // nesting of directories
)

// New returns a view of everything below root, which must be a listing. The end of ctx ends every call, and every opened file.
func New(ctx context.Context, c *fetch.Client, root uri.URI, o *Options) (*FS, error) {
	root = root.ASCII() // as in its listings
	f := &FS{ctx: ctx, client: c, root: root, listings: map[string]*dir{}, firstNames: map[string]string{root.Normalize().String(): "."}}
	f.span = o != nil && o.SpanHosts
	if user, password, ok := root.User(); ok {
		f.login = fetch.GivenLogin(user, password)
	}
	if _, err := f.dir("."); err != nil {
		return nil, err
	}
	return f, nil
}

// Open opens a file or directory.
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
	l, err := f.dir(name)
	if err != nil {
		return nil, err
	}
	return &openDir{node: n.withMode(dirMode), dir: l}, nil
}

// fetch dereferences u. The URIs of a listing have no password, so it sends that of the root, to the root's server.
func (f *FS) fetch(u uri.URI, o fetch.Options) (*fetch.Document, error) {
	if _, has := u.Authority(); has && f.sameServer(f.root, u) {
		o.Login = f.login
	}
	d, err := f.client.Get(f.ctx, u, &o)
	if err != nil && d != nil {
		d.Body.Close()
	}
	return d, err
}

// get fetches n, or the target of its link, and records its type and facts.
func (f *FS) get(n *node) (*fetch.Document, *node, error) {
	d, err := f.fetch(n.uri, fetch.Options{})
	if err != nil {
		return nil, nil, err
	}
	mode := fs.FileMode(fileMode)
	if n.link() && d.Entries != nil {
		mode = dirMode
	} else {
		n.update(d.Size, d.Modified)
	}
	n.setTarget(mode)
	return d, n.withMode(mode), nil
}

// follow returns n, or the target of its link.
func (f *FS) follow(n *node) (*node, error) {
	switch {
	case !n.link():
		return n, nil
	case n.target() != 0:
		return n.withMode(n.target()), nil
	}
	d, n, err := f.get(n)
	if err == nil {
		d.Body.Close()
	}
	return n, err
}

// Stat describes a file or directory by its directory's listing. It fetches the file itself only if it is listed as a link.
func (f *FS) Stat(name string) (fs.FileInfo, error) {
	n, err := f.node(name)
	if err == nil {
		n, err = f.follow(n)
	}
	if err != nil {
		return nil, pathError("stat", name, err)
	}
	return n, nil
}

// ReadDir lists a directory, sorted by name.
func (f *FS) ReadDir(name string) ([]fs.DirEntry, error) {
	n, err := f.node(name)
	if err == nil {
		n, err = f.follow(n)
	}
	if err == nil && !n.IsDir() {
		err = errNotDir
	}
	if err != nil {
		return nil, pathError("readdir", name, err)
	}
	d, err := f.dir(name)
	if err != nil {
		return nil, pathError("readdir", name, err)
	}
	return d.entries(), nil
}

var errNotDir = errors.New("not a directory")

// pathError returns an error in the form of io/fs.
func pathError(op, name string, err error) error {
	switch fetch.KindOf(err) {
	case fetch.ErrNotFound:
		err = errorAs{err, fs.ErrNotExist}
	case fetch.ErrRefused, fetch.ErrAuth:
		err = errorAs{err, fs.ErrPermission}
	}
	return &fs.PathError{Op: op, Path: name, Err: err}
}

// An errorAs is an error that is also another one.
type errorAs struct{ err, as error }

func (l errorAs) Error() string { return l.err.Error() }

func (l errorAs) Unwrap() []error { return []error{l.err, l.as} }

var (
	_ fs.ReadDirFS = (*FS)(nil)
	_ fs.StatFS    = (*FS)(nil)
	_ io.Seeker    = (*openFile)(nil)
)
