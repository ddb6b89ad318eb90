package mirror

import (
	"os"
	"path"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// remove removes a local copy, and the folders that are void then.
func (m *mirror) remove(r Record) error {
	u, _ := uri.Parse(r.URI)
	if r.hasCopy() {
		m.tell(Event{URI: u, Path: r.Path, Did: Deleted})
	}
	if m.options.DryRun {
		return nil
	}
	if r.Path != "" && m.isDirect(r.Path) {
		for _, err := range []error{m.docs.Remove(r.Path), m.forgetOriginal(r.Path)} {
			if err != nil && !isMissing(err) {
				return fetch.Errorf(fetch.ErrDisk, "%w", err)
			}
		}
	}
	if err := m.manifest.add(Record{URI: r.URI, Gone: true}); err != nil {
		return err
	}
	return m.removeFolders(path.Dir(r.Path))
}

// removeFolders removes a folder in which nothing is but our own index, and those above it.
func (m *mirror) removeFolders(at string) error {
	for ; at != "." && at != "/"; at = path.Dir(at) {
		r, ok, err := m.manifest.byPath(at)
		if err != nil || !ok || r.Kind != Folder || !m.isDirect(path.Join(at, indexFile)) || !m.isVoid(&r) {
			return err
		}
		if r.Index {
			m.docs.Remove(path.Join(at, indexFile))
		}
		if m.docs.Remove(at) != nil {
			return nil // somebody else has put something there
		}
		if err := m.manifest.add(Record{URI: r.URI, Gone: true}); err != nil {
			return err
		}
	}
	return nil
}

// isVoid reports whether there is nothing in a folder but our own index.
func (m *mirror) isVoid(r *Record) bool {
	f, err := m.docs.Open(r.Path)
	if err != nil {
		return false
	}
	defer f.Close()
	return onlyIndex(f, r.Index)
}

func onlyIndex(f *os.File, index bool) bool {
	names, _ := f.Readdirnames(2)
	return len(names) == 0 || len(names) == 1 && index && names[0] == indexFile
}
