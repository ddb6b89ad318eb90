package mirror

import (
	"io/fs"
	"slices"
	"strings"
	"sync"

	"example.org/deref/fetch/save"
)

// openDirs holds the directories of the mirror that were used last. Opening one takes six system calls for each step of its path, which
// was a third of those of a small document. A cached directory takes two for each step: they check that it still has its name.
type openDirs struct {
	mu   sync.Mutex
	list []*usedDir // the one used last at the end
}

// maxOpenDirs bounds the directories that stay open while nobody uses them.
const maxOpenDirs = 16

// A usedDir is an open directory. Its fields are guarded by openDirs.
type usedDir struct {
	*save.Dir
	at      string // the path it was opened by
	users   int
	dropped bool // it is no longer in the list, and its last user closes it
}

// openDir opens a directory of the mirror for writing, one step after the other and never through a link. It creates missing directories.
func (s *store) openDir(at string) (*save.Dir, func(), error) { return s.eachStep(at, s.dirs.open) }

// openedDir returns a directory of the mirror if it is open and still has its name. Otherwise it returns nil.
func (s *store) openedDir(at string) (*save.Dir, func()) {
	d, done, _ := s.eachStep(at, func(parent *save.Dir, name, at string) (*usedDir, error) {
		sub := s.dirs.take(at)
		switch {
		case sub == nil:
			return nil, fs.ErrNotExist
		case parent.Has(name, sub.Dir):
			return sub, nil
		}
		s.dirs.leave(sub)
		return nil, fs.ErrNotExist
	})
	return d, done
}

// eachStep opens the directories on a path by open, and returns the last one. The caller calls done after use.
func (s *store) eachStep(at string, open func(parent *save.Dir, name, at string) (*usedDir, error)) (d *save.Dir, done func(), err error) {
	d, done, way := s.dir, func() {}, ""
	for name := range strings.SplitSeq(at, "/") {
		if name == "" {
			continue
		}
		way += "/" + name
		sub, err := open(d, name, way)
		done()
		if err != nil {
			return nil, nil, err
		}
		d, done = sub.Dir, func() { s.dirs.leave(sub) }
	}
	return d, done, nil
}

// open opens the directory called name in parent, whose path is at. The caller leaves it after use.
func (o *openDirs) open(parent *save.Dir, name, at string) (*usedDir, error) {
	if d := o.take(at); d != nil {
		if parent.Has(name, d.Dir) {
			return d, nil
		}
		o.drop(d) // it was moved, removed, or replaced by a link
		o.leave(d)
	}
	sub, err := parent.Sub(name)
	if err != nil {
		return nil, err
	}
	d := &usedDir{Dir: sub, at: at, users: 1}
	o.put(d)
	return d, nil
}

// take returns the directory that was opened by a path, or nil if there is none.
func (o *openDirs) take(at string) *usedDir {
	o.mu.Lock()
	defer o.mu.Unlock()
	i := slices.IndexFunc(o.list, func(d *usedDir) bool { return d.at == at })
	if i < 0 {
		return nil
	}
	d := o.list[i]
	o.list = append(slices.Delete(o.list, i, i+1), d)
	d.users++
	return d
}

// put adds a directory. If there are too many, it drops the one that has not been used for the longest time.
func (o *openDirs) put(d *usedDir) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.list = append(o.list, d); len(o.list) > maxOpenDirs {
		o.dropAt(0)
	}
}

// drop removes a directory from the list.
func (o *openDirs) drop(d *usedDir) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if i := slices.Index(o.list, d); i >= 0 {
		o.dropAt(i)
	}
}

func (o *openDirs) dropAt(i int) {
	d := o.list[i]
	o.list = slices.Delete(o.list, i, i+1)
	if d.dropped = true; d.users == 0 {
		d.Close()
	}
}

// leave ends one use of a directory.
func (o *openDirs) leave(d *usedDir) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if d.users--; d.dropped && d.users == 0 {
		d.Close()
	}
}

// close closes the directories that nobody uses; the users of the others close them.
func (o *openDirs) close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	for len(o.list) > 0 {
		o.dropAt(0)
	}
}
