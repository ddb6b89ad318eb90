package mirror

import (
	"cmp"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"

	"example.org/deref/fetch"
	"example.org/deref/fetch/batch"
	"example.org/deref/fetch/save"
)

// A store is the directory of a mirror.
type store struct {
	docs     *os.Root  // the directory
	dir      *save.Dir // for writing
	dirs     openDirs  // directories within it
	meta     *os.Root  // its directory .deref, for the manifest and passes
	temp     string    // is used as meta in a dry run
	manifest *manifest
	naming   sync.Mutex // held while a path is chosen
	system   system     // restrictions of the file system of docs
	same     bool       // the last complete pass had the same options
	fresh    bool       // this Run created meta
	newDirs  []string   // that this Run created within the directory before it reached a URI

	originals atomic.Bool // there may be originals of documents whose links were changed
}

const (
	metaName     = ".deref"
	passName     = "pass"                 // in it: the remaining work of a pass
	originalName = metaName + "/original" // originals of documents whose links were changed
)

// openStore opens the mirror's directory and files, and creates them if necessary. A dry run works on a copy of the manifest. Names are
// portable if the options or the system require it.
func openStore(dir string, dry, portable bool) (s *store, err error) {
	s = &store{}
	defer func() {
		if err != nil {
			s.close()
			err = save.LocalError(err)
		}
	}()
	if dry {
		if s.temp, err = os.MkdirTemp("", "deref-mirror-"); err != nil {
			return s, err
		}
		if err := copyManifest(dir, s.temp); err != nil {
			return s, err
		}
		if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
			dir = s.temp
		}
	} else if s.dir, err = save.CreateDir(dir); err != nil {
		return s, err
	}
	if s.docs, err = os.OpenRoot(dir); err != nil {
		return s, err
	}
	if err = s.openMeta(); err != nil {
		return s, err
	}
	_, err = s.docs.Lstat(originalName)
	s.originals.Store(!isMissing(err))
	if s.system = systemOf(s.meta); portable {
		s.system.exact, s.system.folds = false, true
	}
	if s.dir != nil && s.system.exact {
		s.dir.Exact()
	}
	s.manifest, err = openManifest(s.meta, s.system.folds)
	return s, err
}

// openMeta opens .deref, which must be a directory and not a link.
func (s *store) openMeta() (err error) {
	if s.temp != "" {
		s.meta, err = os.OpenRoot(s.temp)
	} else {
		_, missing := s.docs.Lstat(metaName)
		s.fresh = isMissing(missing)
		s.meta, err = subRoot(s.docs, metaName)
	}
	return err
}

// subRoot opens a directory within r, and creates it if it does not exist. It refuses links.
func subRoot(r *os.Root, name string) (*os.Root, error) {
	if err := r.Mkdir(name, 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	if fi, err := r.Lstat(name); err != nil || !fi.IsDir() {
		return nil, errors.Join(fetch.Errorf(fetch.ErrLocal, "%s is not a directory", filepath.Join(r.Name(), name)), err)
	}
	return r.OpenRoot(name)
}

// copyManifest copies the manifest of the directory, if it has one.
func copyManifest(from, to string) error {
	in, err := os.Open(filepath.Join(from, metaName, manifestName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.Create(filepath.Join(to, manifestName))
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return diskError(cmp.Or(err, out.Close()))
}

// undo restores the directory to its state before the Run.
func (s *store) undo() error {
	s.dirs.close()
	for _, at := range slices.Backward(s.newDirs) {
		if s.isEmptyDir(&Record{Path: at}) {
			s.docs.Remove(at)
		}
	}
	s.manifest.close()
	s.meta.Close()
	s.manifest, s.meta = nil, nil
	err := s.docs.RemoveAll(metaName)
	if dir := s.dir; err == nil {
		s.close()
		s.docs, s.dir = nil, nil
		dir.RemoveCreated()
	}
	return diskError(err)
}

func (s *store) close() {
	if s.manifest != nil {
		s.manifest.close()
	}
	s.dirs.close()
	for _, r := range []*os.Root{s.meta, s.docs} {
		if r != nil {
			r.Close()
		}
	}
	if s.dir != nil {
		s.dir.Close()
	}
	if s.temp != "" {
		os.RemoveAll(s.temp)
	}
}

// The files of a pass. When a pass begins, the file wanted is written after the others; when it ends, wanted is renamed to last before the
// others are removed. Both hold the options and the start of the system (boot). Nothing is synced during a pass, so any of its files may be
// missing after a power failure. A pass that was interrupted in order is synced, and does not name a start.
const (
	frontierName = "frontier.jsonl"
	stateName    = "state"
	wantedName   = "wanted.json"
	lastName     = "last.json"
)

// openPass continues the interrupted pass if it had the same options and the system was not started anew since, or begins a new one.
func (s *store) openPass(now, paused string) (f *batch.Frontier, state *batch.State, resumed bool, err error) {
	pass, err := subRoot(s.meta, passName)
	if err != nil {
		return nil, nil, false, save.LocalError(err)
	}
	defer pass.Close()
	at := func(name string) string { return filepath.Join(s.meta.Name(), passName, name) }
	if state, err = batch.OpenState(at(stateName)); err != nil { // this also locks out other processes
		return nil, nil, false, err
	}
	old, _ := pass.ReadFile(wantedName)
	if resumed = string(old) == now || string(old) == paused; !resumed {
		err = cmp.Or(s.removeFromPass(wantedName, frontierName), state.Reset())
	}
	last, _ := pass.ReadFile(lastName)
	s.same = string(last) == now && !resumed
	if err == nil {
		f, err = batch.OpenFrontier(at(frontierName))
	}
	if err == nil && string(old) != now {
		if err = diskError(pass.WriteFile(wantedName, []byte(now), 0o600)); err != nil {
			f.Close()
		}
	}
	if err != nil {
		state.Close()
	}
	return f, state, resumed, err
}

// pausePass makes an interrupted pass durable, so that it can be continued after the next start of the system.
func (s *store) pausePass(paused string) error {
	top, err := s.meta.Open(".")
	if err == nil {
		err = cmp.Or(syncSystem(top), top.Close())
	}
	if err == nil {
		err = s.meta.WriteFile(passName+"/"+wantedName, []byte(paused), 0o600)
	}
	return err
}

// Interrupted reports whether the directory dir holds an unfinished Run.
func Interrupted(dir string) bool {
	_, err := os.Lstat(filepath.Join(dir, metaName, passName, wantedName))
	return err == nil
}

// endPass records the options of the pass that has ended.
func (s *store) endPass() error {
	if err := s.meta.Rename(passName+"/"+wantedName, passName+"/"+lastName); err != nil {
		return diskError(err)
	}
	return s.removeFromPass(frontierName, stateName)
}

// removeFromPass removes files of a pass.
func (s *store) removeFromPass(names ...string) error {
	for _, name := range names {
		if err := s.meta.Remove(passName + "/" + name); err != nil && !isMissing(err) {
			return diskError(err)
		}
	}
	return nil
}
