package mirror

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"example.org/deref/fetch"
	"example.org/deref/fetch/batch"
	"example.org/deref/fetch/save"
)

// A store is the folder of a mirror.
type store struct {
	docs     *os.Root  // the folder
	folder   *save.Dir // the same, for writing
	meta     *os.Root  // .deref in it
	temp     string    // where meta is instead, in a dry run
	manifest *manifest
	naming   sync.Mutex // held while a path is chosen
	system   system     // what the file system of docs can hold
	same     bool       // the last pass that came to its end wanted the same
	fresh    bool       // meta was made now
	made     bool       // the folder too
}

const (
	metaName     = ".deref"
	passName     = "pass"     // what a pass has still to do
	originalName = "original" // documents whose links were changed
)

// openStore makes what is missing. In a dry run, it works on a copy of what is known. Names are portable if that is wanted, or the system needs it.
func openStore(dir string, dry, portable bool) (s *store, err error) {
	s = &store{}
	defer func() {
		if err != nil {
			s.close()
		}
	}()
	if dry {
		if s.temp, err = os.MkdirTemp("", "deref-mirror-"); err != nil {
			return s, fetch.Errorf(fetch.ErrLocal, "%w", err)
		}
		if err := copyManifest(dir, s.temp); err != nil {
			return s, err
		}
		if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
			dir = s.temp
		}
	} else {
		_, missing := os.Lstat(dir)
		s.made = errors.Is(missing, fs.ErrNotExist)
		if s.folder, err = save.CreateDir(dir); err != nil {
			return s, err
		}
	}
	if s.docs, err = os.OpenRoot(dir); err != nil {
		return s, fetch.Errorf(fetch.ErrLocal, "%w", err)
	}
	if err = s.openMeta(); err != nil {
		return s, err
	}
	if s.system = systemOf(s.meta); portable {
		s.system.exact, s.system.folds = false, true
	}
	if s.folder != nil && s.system.exact {
		s.folder.Exact()
	}
	s.manifest, err = openManifest(s.meta, s.system.folds)
	return s, err
}

// openMeta opens .deref, which must be a folder and no link.
func (s *store) openMeta() (err error) {
	if s.temp != "" {
		s.meta, err = os.OpenRoot(s.temp)
	} else {
		_, missing := s.docs.Lstat(metaName)
		s.fresh = isMissing(missing)
		s.meta, err = subRoot(s.docs, metaName)
	}
	if err != nil {
		return fetch.Errorf(fetch.ErrLocal, "%w", err)
	}
	return nil
}

// subRoot opens a folder within r, after making it where it is missing. A link is none.
func subRoot(r *os.Root, name string) (*os.Root, error) {
	if err := r.Mkdir(name, 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	if fi, err := r.Lstat(name); err != nil || !fi.IsDir() {
		return nil, errors.Join(fetch.Errorf(fetch.ErrLocal, "%s is no directory", filepath.Join(r.Name(), name)), err)
	}
	return r.OpenRoot(name)
}

// copyManifest copies the manifest of the folder, if it has one.
func copyManifest(from, to string) error {
	in, err := os.Open(filepath.Join(from, metaName, manifestName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fetch.Errorf(fetch.ErrLocal, "%w", err)
	}
	defer in.Close()
	out, err := os.Create(filepath.Join(to, manifestName))
	if err != nil {
		return fetch.Errorf(fetch.ErrLocal, "%w", err)
	}
	_, err = io.Copy(out, in)
	if cerr := out.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return fetch.Errorf(fetch.ErrDisk, "%w", err)
	}
	return nil
}

// undo leaves the folder as it was found.
func (s *store) undo() error {
	s.manifest.close()
	s.meta.Close()
	s.manifest, s.meta = nil, nil
	err := s.docs.RemoveAll(metaName)
	if dir := s.docs.Name(); err == nil && s.made {
		s.close()
		s.docs, s.folder = nil, nil
		err = os.Remove(dir)
	}
	if err != nil {
		return fetch.Errorf(fetch.ErrDisk, "%w", err)
	}
	return nil
}

func (s *store) close() {
	if s.manifest != nil {
		s.manifest.close()
	}
	for _, r := range []*os.Root{s.meta, s.docs} {
		if r != nil {
			r.Close()
		}
	}
	if s.folder != nil {
		s.folder.Close()
	}
	if s.temp != "" {
		os.RemoveAll(s.temp)
	}
}

// The files of a pass. wanted is written last when one begins, and becomes last first when it is over.
const (
	frontierName = "frontier.jsonl"
	stateName    = "state"
	wantedName   = "wanted.json"
	lastName     = "last.json"
)

// openPass takes up the pass that was interrupted, if it wanted the same, or begins one.
func (s *store) openPass(wanted string) (f *batch.Frontier, state *batch.State, resumed bool, err error) {
	pass, err := subRoot(s.meta, passName)
	if err != nil {
		return nil, nil, false, fetch.Errorf(fetch.ErrLocal, "%w", err)
	}
	defer pass.Close()
	at := func(name string) string { return filepath.Join(s.meta.Name(), passName, name) }
	if state, err = batch.OpenState(at(stateName)); err != nil { // nobody else is at it
		return nil, nil, false, err
	}
	if old, err := pass.ReadFile(wantedName); err != nil || string(old) != wanted {
		state.Close()
		if err := s.dropPass(); err != nil {
			return nil, nil, false, err
		}
		if state, err = batch.OpenState(at(stateName)); err != nil {
			return nil, nil, false, err
		}
	} else {
		resumed = true
	}
	last, err := pass.ReadFile(lastName)
	s.same = err == nil && string(last) == wanted && !resumed
	if f, err = batch.OpenFrontier(at(frontierName)); err != nil {
		state.Close()
		return nil, nil, false, err
	}
	if !resumed {
		err = pass.WriteFile(wantedName, []byte(wanted), 0o600)
	}
	if err != nil {
		state.Close()
		f.Close()
		return nil, nil, false, fetch.Errorf(fetch.ErrDisk, "%w", err)
	}
	return f, state, resumed, nil
}

// Interrupted reports whether the folder dir holds a Run that has not come to its end.
func Interrupted(dir string) bool {
	_, err := os.Lstat(filepath.Join(dir, metaName, passName, wantedName))
	return err == nil
}

// endPass notes what the pass wanted, now that it is over.
func (s *store) endPass() error {
	if err := s.meta.Rename(passName+"/"+wantedName, passName+"/"+lastName); err != nil {
		return fetch.Errorf(fetch.ErrDisk, "%w", err)
	}
	return s.dropPass()
}

// dropPass forgets what a pass had still to do.
func (s *store) dropPass() error {
	for _, name := range []string{wantedName, frontierName, stateName} {
		if err := s.meta.Remove(passName + "/" + name); err != nil && !isMissing(err) {
			return fetch.Errorf(fetch.ErrDisk, "%w", err)
		}
	}
	return nil
}
