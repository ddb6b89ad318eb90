package mirror

import (
	"path"

	"example.org/deref/uri"
)

// remove removes a local copy, and directories that are empty afterwards.
func (m *mirror) remove(r Record) error {
	u, _ := uri.Parse(r.URI)
	if r.hasCopy() {
		m.report(Event{URI: u, Path: r.Path, Did: Deleted})
	}
	if m.options.DryRun {
		return nil
	}
	if r.Path != "" && m.isDirect(r.Path) {
		for _, err := range []error{m.docs.Remove(r.Path), m.forgetOriginal(r.Path)} {
			if err != nil && !isMissing(err) {
				return diskError(err)
			}
		}
	}
	if err := m.manifest.add(Record{URI: r.URI, Gone: true}); err != nil {
		return err
	}
	return m.removeEmptyDirs(path.Dir(r.Path))
}

// removeEmptyDirs removes a directory that contains at most a generated index, and then its parents likewise.
func (m *mirror) removeEmptyDirs(at string) error {
	for ; at != "." && at != "/"; at = path.Dir(at) {
		r, ok, err := m.manifest.byPath(at)
		if err != nil || !ok || r.Kind != Dir || !m.isDirect(path.Join(at, indexFile)) || !m.isEmptyDir(&r) {
			return err
		}
		if r.Index {
			m.docs.Remove(path.Join(at, indexFile))
		}
		if m.docs.Remove(at) != nil {
			return nil // another program has created a file there
		}
		if err := m.manifest.add(Record{URI: r.URI, Gone: true}); err != nil {
			return err
		}
	}
	return nil
}

// isEmptyDir reports whether a directory contains at most a generated index.
func (s *store) isEmptyDir(r *Record) bool {
	f, err := s.docs.Open(r.Path)
	if err != nil {
		return false
	}
	defer f.Close()
	names, _ := f.Readdirnames(2)
	return len(names) == 0 || len(names) == 1 && r.Index && names[0] == indexFile
}
