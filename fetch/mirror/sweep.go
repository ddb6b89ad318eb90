package mirror

import (
	"context"
	"os"
	"path"

	"example.org/deref/fetch/save"
)

// sweep removes what a process that was killed has left of documents which were not whole.
func (m *mirror) sweep(ctx context.Context) error {
	for r, err := range m.folders() {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return err
		}
		for name, err := range names(m.docs, path.Join(".", r.Path)) {
			if err == nil && save.IsTemporary(name) {
				sweepFile(m.docs, path.Join(r.Path, name))
			}
		}
	}
	return nil
}

// sweepFile leaves what it cannot remove: it is in nobody's way.
func sweepFile(root *os.Root, at string) {
	if fi, err := root.Lstat(at); err == nil && fi.Mode().IsRegular() {
		root.Remove(at)
	}
}
