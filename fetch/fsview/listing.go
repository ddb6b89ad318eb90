package fsview

import (
	"io/fs"
	"path"
	"strings"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// node finds the node of that name.
func (f *FS) node(name string) (*node, error) {
	switch {
	case !fs.ValidPath(name):
		return nil, fs.ErrInvalid
	case name == ".":
		return &node{name: ".", mode: dirMode, uri: f.root, facts: &facts{}}, nil
	}
	parent, err := f.dir(path.Dir(name))
	if err != nil {
		return nil, err
	}
	if n := parent.names[path.Base(name)]; n != nil {
		return n, nil
	}
	return nil, fs.ErrNotExist
}

// dir returns the listing of that name.
func (f *FS) dir(name string) (*dir, error) {
	f.mu.Lock()
	d := f.listings[name]
	f.mu.Unlock()
	if d != nil {
		return d, f.ctx.Err()
	}
	n, err := f.node(name)
	if err == nil {
		n, err = f.follow(n)
	}
	if err != nil {
		return nil, err
	}
	switch {
	case !n.IsDir():
		return nil, fs.ErrNotExist // something below a file
	case strings.Count(name, "/") >= maxDepth:
		return nil, fetch.Errorf(fetch.ErrLimit, "more than %d nested directories", maxDepth)
	}
	if d, err = f.list(n.uri); err != nil {
		return nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.linkDuplicates(name, d)
	if len(f.listings) >= maxListings {
		clear(f.listings)
	}
	f.listings[name] = d
	return d, nil
}

func (f *FS) list(u uri.URI) (*dir, error) {
	doc, err := f.fetch(u, fetch.Options{})
	if err != nil {
		return nil, err
	}
	defer doc.Body.Close()
	entries, base, text := entriesOf(doc), doc.URI, isText(doc)
	if entries == nil {
		return nil, errNotDir
	}
	d := &dir{names: map[string]*node{}, listed: map[listed]bool{}, more: map[string]int{}}
	for e, err := range entries {
		switch {
		case err != nil:
			return nil, err
		case !f.span && !f.sameServer(f.root, e.URI), f.isUp(base, e, text):
			continue
		case text:
			e = f.asMember(base, e)
		}
		d.add(e)
	}
	d.sort()
	return d, nil
}

// sameServer reports whether u is on base's server. A URI without a server (news:) is on every server of its scheme.
func (f *FS) sameServer(base, u uri.URI) bool {
	_, has := u.Authority()
	return u.Scheme() == base.Scheme() && (!has || f.client.Schemes.Origin(u) == f.client.Schemes.Origin(base))
}

// linkDuplicates makes links of the directories in d, the listing called name, that occur elsewhere in the view already.
func (f *FS) linkDuplicates(name string, d *dir) {
	for _, n := range d.nodes {
		if !n.IsDir() {
			continue
		}
		key, here := n.uri.Normalize().String(), path.Join(name, n.name)
		first, known := f.firstNames[key]
		switch {
		case known && first != here, !known && len(f.firstNames) >= maxDirs:
			n.mode = linkMode
			n.setTarget(dirMode)
		case !known:
			f.firstNames[key] = here
		}
	}
}
