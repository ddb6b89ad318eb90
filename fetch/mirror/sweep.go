package mirror

import (
	"context"
	"path"

	"example.org/deref/fetch/save"
)

// sweep removes the unfinished files of a killed process.
func (m *mirror) sweep(ctx context.Context) error {
	return m.eachDir(ctx, func(r Record) error {
		for name, err := range names(m.docs, path.Join(".", r.Path)) {
			if at := path.Join(r.Path, name); err == nil && save.IsTemporary(name) && isRegular(m.docs.Lstat(at)) {
				m.docs.Remove(at) // a leftover file does no harm
			}
		}
		return nil
	})
}
