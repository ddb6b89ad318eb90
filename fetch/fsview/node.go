package fsview

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// A node is a file or directory as its directory's listing describes it. It is both its fs.FileInfo and its fs.DirEntry.
type node struct {
	name  string
	mode  fs.FileMode
	uri   uri.URI
	entry fetch.Entry
	*facts
}

// facts holds the known facts about a document: first from its listing, later from the document itself.
type facts struct {
	mu         sync.Mutex
	bytes      int64 // -1 if unknown
	time       time.Time
	targetMode fs.FileMode // mode of a link's target; 0 if unknown
}

// update sets the facts sent with an opened document.
func (t *facts) update(size int64, modified time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if size >= 0 {
		t.bytes = size
	}
	if !modified.IsZero() {
		t.time = modified
	}
}

func (t *facts) size() int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.bytes
}

func (t *facts) target() fs.FileMode {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.targetMode
}

func (t *facts) setTarget(mode fs.FileMode) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.targetMode = mode
}

// link reports whether the server lists a link, or the directory occurs elsewhere in the view already. A walk does not follow links, so
// circular menus end.
func (n *node) link() bool { return n.mode&fs.ModeSymlink != 0 }

// withMode returns the node with the mode of its link's target.
func (n *node) withMode(mode fs.FileMode) *node {
	t := *n
	t.mode = mode
	return &t
}

const (
	dirMode  = fs.ModeDir | 0o555
	fileMode = 0o444
	linkMode = fs.ModeSymlink | 0o777
)

func (n *node) Name() string               { return n.name }
func (n *node) Size() int64                { return max(n.size(), 0) }
func (n *node) Mode() fs.FileMode          { return n.mode }
func (n *node) Type() fs.FileMode          { return n.mode.Type() }
func (n *node) IsDir() bool                { return n.mode.IsDir() }
func (n *node) Info() (fs.FileInfo, error) { return n, nil }

// ModTime returns the document's time if it was opened, else the listing's.
func (n *node) ModTime() time.Time {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.time
}

// Sys returns the fetch.Entry of the listing.
func (n *node) Sys() any { return n.entry }

func (n *node) String() string { return fs.FormatDirEntry(n) }

// A dir is a listing.
type dir struct {
	nodes  []*node
	names  map[string]*node
	listed map[listed]bool
	more   map[string]int // how many entries have a number after their name
}

// A listed is what makes two entries of a listing the same.
type listed struct {
	name string
	uri  uri.URI
}

// add adds an entry if it refers to a document or a listing.
func (d *dir) add(e fetch.Entry) {
	if e.URI.IsZero() {
		return
	}
	n := &node{mode: fileMode, uri: e.URI, entry: e, facts: &facts{bytes: e.Size, time: e.Modified}}
	switch e.Kind {
	case fetch.KindDir, fetch.KindMenu, fetch.KindGroup:
		n.mode, n.bytes = dirMode, 0
	case fetch.KindLink:
		n.mode, n.bytes = linkMode, -1
	case fetch.KindFile, fetch.KindMessage, fetch.KindEntry:
	default:
		return
	}
	if n.name = nameOf(e); n.name == "" {
		return
	}
	plain := n.name
	key := listed{plain, n.uri}
	if d.listed[key] {
		return
	}
	d.listed[key] = true
	for d.names[n.name] != nil {
		d.more[plain]++
		n.name = fmt.Sprintf("%s (%d)", plain, d.more[plain]+1)
	}
	d.names[n.name] = n
	d.nodes = append(d.nodes, n)
}

func (d *dir) sort() {
	slices.SortFunc(d.nodes, func(a, b *node) int { return strings.Compare(a.name, b.name) })
}

func (d *dir) entries() []fs.DirEntry {
	list := make([]fs.DirEntry, len(d.nodes))
	for i, n := range d.nodes {
		list[i] = n
	}
	return list
}
