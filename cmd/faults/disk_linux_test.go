//go:build amd64

package faults

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// A disk is the state of a directory: its names, and the contents of the files.
type disk struct {
	names    map[string]uint64 // the file of each name; the names of directories end in "/"
	contents map[uint64]string
}

func (d disk) clone() disk { return disk{maps.Clone(d.names), maps.Clone(d.contents)} }

// tree returns the files of the disk that can be reached: a directory whose name is lost has none.
func (d disk) tree() tree {
	files := tree{}
	for name, inode := range d.names {
		if d.has(path.Dir(strings.TrimSuffix(name, "/"))) {
			files[name] = d.contents[inode]
		}
	}
	return files
}

func (d disk) has(dir string) bool {
	for ; dir != "."; dir = path.Dir(dir) {
		if _, ok := d.names[dir+"/"]; !ok {
			return false
		}
	}
	return true
}

// A recording knows what is on the disk for certain, and what the process has written since, at each moment of a command line.
type recording struct {
	t        *testing.T
	root     string
	held     map[uint64]*os.File // keeps the numbers of removed files from being used again
	live     disk                // what processes see
	synced   disk                // what a power failure cannot take away
	moments  []moment
	modified bool   // the last call may have changed something
	pending  func() // what the last call has synced, if it succeeded
}

// A moment is one at which the power may fail.
type moment struct {
	after        string // the last call
	live, synced disk
}

func record(t *testing.T, root string) *recording {
	r := &recording{t: t, root: root, held: map[uint64]*os.File{}, modified: true}
	r.look()
	r.synced = r.live.clone()
	r.modified = false
	t.Cleanup(func() {
		for _, f := range r.held {
			f.Close()
		}
	})
	return r
}

// before is called before each call: what the last one did is visible now.
func (r *recording) before(p *process) func(call, int) {
	last := "the beginning"
	return func(c call, fd int) {
		r.note(last)
		r.modified, last = c.write || c.name == "close", c.String()
		syncs := c.name == "fsync" || c.name == "fdatasync" || strings.Contains(c.name, "write") && p.flags(fd)&unix.O_DSYNC != 0
		if !syncs {
			return
		}
		r.modified = true
		name := fmt.Sprintf("/proc/%d/fd/%d", p.pid, fd)
		is, err := os.Stat(name)
		if err != nil {
			return
		}
		r.pending = func() { r.sync(c.file, is, name) }
	}
}

// note records the moment after a call.
func (r *recording) note(call string) {
	if !r.modified {
		return
	}
	r.look()
	if r.pending != nil {
		r.pending()
		r.pending = nil
	}
	r.moments = append(r.moments, moment{call, r.live.clone(), r.synced.clone()})
}

// sync records that a file, or the names in a directory, cannot be lost any more.
func (r *recording) sync(file string, is os.FileInfo, open string) {
	inode := is.Sys().(*syscall.Stat_t).Ino
	if !is.IsDir() {
		if text, err := os.ReadFile(open); err == nil {
			r.synced.contents[inode] = string(text)
		}
		return
	}
	maps.DeleteFunc(r.synced.names, func(name string, _ uint64) bool { return path.Dir(strings.TrimSuffix(name, "/")) == file })
	for name, inode := range r.live.names {
		if path.Dir(strings.TrimSuffix(name, "/")) == file {
			r.synced.names[name] = inode
		}
	}
}

// look reads the directory as processes see it.
func (r *recording) look() {
	r.live = disk{map[string]uint64{}, map[uint64]string{}}
	err := filepath.WalkDir(r.root, func(name string, d fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(r.root, name)
		if err != nil || rel == "." || d.Type()&fs.ModeSymlink != 0 {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		inode := info.Sys().(*syscall.Stat_t).Ino
		if d.IsDir() {
			r.live.names[rel+"/"] = inode
			return nil
		}
		r.live.names[rel] = inode
		text, err := os.ReadFile(name)
		r.live.contents[inode] = string(text)
		if r.held[inode] == nil && err == nil {
			r.held[inode], err = os.Open(name)
		}
		return err
	})
	if errors.Is(err, fs.ErrNotExist) { // a call that was let through before is carried out now
		r.look()
	} else if err != nil {
		r.t.Error(err)
	}
}

// afterwards returns the disks that a power failure may leave at the moment. What is not synced is there or lost: all of it, the contents of one
// file (none, or half of what was written), the names of one directory, or all contents or names.
func (m moment) afterwards() map[string]tree {
	states := map[string]tree{"all that was written": m.live.tree()}
	lost := func(inode uint64, to disk) bool {
		now, is := m.live.contents[inode]
		was := m.synced.contents[inode]
		to.contents[inode] = was
		return is && now != was
	}
	allLost := m.live.clone()
	for name, inode := range m.live.names {
		one := m.live.clone()
		if !lost(inode, one) {
			continue
		}
		lost(inode, allLost)
		states["without the contents of "+name] = one.tree()
		torn := m.live.clone()
		now, was := m.live.contents[inode], m.synced.contents[inode]
		if len(now) > len(was) {
			now = now[:(len(was)+len(now)+1)/2]
		} else {
			now = now[:len(now)/2]
		}
		torn.contents[inode] = now
		states["with half of "+name] = torn.tree()
	}
	states["without contents"] = allLost.tree()
	dirs := map[string]bool{}
	for _, names := range []map[string]uint64{m.live.names, m.synced.names} {
		for name := range names {
			dirs[path.Dir(strings.TrimSuffix(name, "/"))] = true
		}
	}
	none := m.live.clone()
	for dir := range dirs {
		one := m.live.clone()
		for _, d := range []disk{one, none} {
			d.restore(dir, m.synced)
		}
		states["without the names in "+dir] = one.tree()
	}
	states["without names"] = none.tree()
	for _, inode := range none.names {
		lost(inode, none)
	}
	states["only what was synced"] = none.tree()
	return states
}

// restore gives a directory the names that it has in from.
func (d disk) restore(dir string, from disk) {
	maps.DeleteFunc(d.names, func(name string, _ uint64) bool { return path.Dir(strings.TrimSuffix(name, "/")) == dir })
	for name, inode := range from.names {
		if path.Dir(strings.TrimSuffix(name, "/")) == dir {
			d.names[name] = inode
			if _, ok := d.contents[inode]; !ok {
				d.contents[inode] = from.contents[inode]
			}
		}
	}
}

func (f tree) key() string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(f)) {
		fmt.Fprintf(&b, "%q %d ", name, len(f[name]))
		b.WriteString(f[name])
	}
	return b.String()
}
