package warc

import (
	"fmt"
	"slices"
	"sync"

	"example.org/deref/fetch"
)

// sparse is what an Archive of OpenSparse has read.
type sparse struct {
	mu     sync.Mutex        // for reading, and for what was read before
	unread []int32           // the files without an index
	keys   map[string]bool   // for which they were read; nil if OpenArchive has read them
	keep   func(string) bool // reports whether the records of a key are noted; nil if all are
}

// OpenSparse returns an Archive for a program that wants few documents, with memory that does not depend on the number of records: files without
// an index are read from beginning to end for each URI that is asked for, and for each that its captures refer to. Damage returns what that
// has found until then. Contents notes everything, as OpenArchive does.
func OpenSparse(list []fetch.Scheme, names ...string) (*Archive, error) {
	return openAll(&Archive{list: list, at: map[string][]recordRef{}, long: -1, sparse: sparse{keys: map[string]bool{}}}, names)
}

// readLater notes a file that can be opened.
func (a *Archive) readLater(file int32) error {
	f, err := a.files[file].Open()
	if err != nil {
		return err
	}
	a.unread = append(a.unread, file)
	return f.Close()
}

// read returns the records about the URIs of a key in files without an index.
func (a *Archive) read(k string) ([]recordRef, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.unread) > 0 && !a.keys[k] {
		if err := a.readUnread(func(other string) bool { return other == k }); err != nil {
			delete(a.at, k)
			return nil, err
		}
		a.keys[k] = true
	}
	return slices.Clone(a.at[k]), nil
}

// readAll notes the records about all URIs.
func (a *Archive) readAll() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.unread) == 0 {
		return nil
	}
	clear(a.at)
	if err := a.readUnread(nil); err != nil {
		clear(a.at)
		clear(a.keys)
		return err
	}
	a.unread = nil
	return nil
}

// readUnread notes the records of some keys, and the damage if it is the first time.
func (a *Archive) readUnread(keep func(string) bool) (err error) {
	before := len(a.bad)
	defer func() {
		if err != nil || len(a.keys) > 0 {
			a.bad = a.bad[:before]
		}
	}()
	a.keep = keep
	for _, file := range a.unread {
		if err := a.readFile(file); err != nil {
			return fmt.Errorf("%s: %w", a.files[file].Name(), err)
		}
	}
	return nil
}
