package fsview

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// A node is one file or folder, as its folder's listing describes it: both its fs.FileInfo and its fs.DirEntry.
type node struct {
	name string
	mode fs.FileMode
	uri  uri.URI
	from fetch.Entry
	*told
}

// told is what is known of a document: by its listing, later by itself.
type told struct {
	mu     sync.Mutex
	octets int64 // -1 unknown
	time   time.Time
	leads  fs.FileMode // where a link leads to, 0 unknown
}

// tell notes what an opened document says of itself.
func (t *told) tell(size int64, modified time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if size >= 0 {
		t.octets = size
	}
	if !modified.IsZero() {
		t.time = modified
	}
}

func (t *told) size() int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.octets
}

func (t *told) target() fs.FileMode {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.leads
}

func (t *told) leadsTo(mode fs.FileMode) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.leads = mode
}

// link says that the server calls it one, or that the folder stands elsewhere in the view already. A walk does not follow it, so menus
// that lead in circles end.
func (n *node) link() bool { return n.mode&fs.ModeSymlink != 0 }

// as is the node as what its link leads to.
func (n *node) as(mode fs.FileMode) *node {
	t := *n
	t.mode = mode
	return &t
}

const (
	folderMode = fs.ModeDir | 0o555
	fileMode   = 0o444
	linkMode   = fs.ModeSymlink | 0o777
)

func (n *node) Name() string               { return n.name }
func (n *node) Size() int64                { return max(n.size(), 0) }
func (n *node) Mode() fs.FileMode          { return n.mode }
func (n *node) Type() fs.FileMode          { return n.mode.Type() }
func (n *node) IsDir() bool                { return n.mode.IsDir() }
func (n *node) Info() (fs.FileInfo, error) { return n, nil }

// ModTime is the document's where it was opened, else the listing's.
func (n *node) ModTime() time.Time {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.time
}

// Sys is the fetch.Entry of the listing.
func (n *node) Sys() any { return n.from }

func (n *node) String() string { return fs.FormatDirEntry(n) }

// A folder is a listing.
type folder struct {
	nodes []*node
	names map[string]*node
}

func (d *folder) find(name string) *node { return d.names[name] }

// add takes an entry that leads to a document or a listing.
func (d *folder) add(e fetch.Entry) {
	if e.URI.IsZero() {
		return
	}
	n := &node{mode: fileMode, uri: e.URI, from: e, told: &told{octets: e.Size, time: e.Modified}}
	switch e.Kind {
	case fetch.KindDir, fetch.KindMenu, fetch.KindGroup:
		n.mode, n.octets = folderMode, 0
	case fetch.KindLink:
		n.mode, n.octets = linkMode, -1
	case fetch.KindFile, fetch.KindMessage, fetch.KindEntry:
	default:
		return
	}
	if n.name = nameOf(e); n.name == "" {
		return
	}
	if d.names == nil {
		d.names = map[string]*node{}
	}
	plain := n.name
	for i := 2; d.names[n.name] != nil; i++ {
		n.name = fmt.Sprintf("%s (%d)", plain, i)
	}
	d.names[n.name] = n
	d.nodes = append(d.nodes, n)
}

// nameOf is what a person would call the entry, if that can be a name; "" if nothing can.
func nameOf(e fetch.Entry) string {
	for _, s := range []string{e.Title, lastPart(e.URI)} {
		if s != "" && s != "." && s != ".." && utf8.ValidString(s) && !strings.ContainsAny(s, "/\x00") {
			return s
		}
	}
	return ""
}

func lastPart(u uri.URI) string {
	last := path.Base(strings.TrimRight(string(u.Path()), "/"))
	return uri.Escaped(last).Decode()
}

func (d *folder) sort() {
	slices.SortFunc(d.nodes, func(a, b *node) int { return strings.Compare(a.name, b.name) })
}

func (d *folder) entries() []fs.DirEntry {
	list := make([]fs.DirEntry, len(d.nodes))
	for i, n := range d.nodes {
		list[i] = n
	}
	return list
}
