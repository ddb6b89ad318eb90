package mirror

import (
	"context"
	"os"
	"path"

	"example.org/deref/fetch/save"
)

// sweep removes the unfinished files of a killed process.
func (m *mirror) sweep(ctx context.Context) error {
	return m.eachDir(ctx, func(r Record) error {
		for name, err := range names(m.docs, path.Join(".", r.Path)) {
			if err == nil && save.IsTemporary(name) {
				sweepFile(m.docs, path.Join(r.Path, name))
			}
		}
		return nil
	})
}

// sweepFile ignores errors: a leftover file does no harm.
func sweepFile(root *os.Root, at string) {
	if fi, err := root.Lstat(at); err == nil && fi.Mode().IsRegular() {
		root.Remove(at)
	}
}
