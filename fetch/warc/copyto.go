package warc

import (
	"errors"
	"io"
	"io/fs"
	"os"

	"example.org/deref/fetch/internal/lock"
	"example.org/deref/fetch/save"
)

// CopyTo is Copy into o.Name, or with Size into NAME-00000.EXT, NAME-00001.EXT and so on. Each file gets its name when it is complete and on the disk;
// one that exists is replaced then, and may be one of the archives that are read. An archive that is being written is never replaced.
func (c *Catalog) CopyTo(o *CopyOptions) (Copied, error) {
	return c.Copy(o, func(n int, write func(io.Writer) error) error {
		name := o.Name
		if o.Size > 0 {
			name = Numbered(o.Name, n)
		}
		unlock, err := lockOld(name)
		if err != nil {
			return err
		}
		defer unlock()
		_, err = save.Rewrite(name, 0o666, write)
		return err
	})
}

// lockOld locks a file that is about to be replaced.
func lockOld(name string) (unlock func(), err error) {
	is, err := os.Stat(name)
	if err != nil || !is.Mode().IsRegular() {
		return func() {}, nil
	}
	f, err := os.OpenFile(name, os.O_RDWR, 0)
	if errors.Is(err, fs.ErrPermission) {
		return func() {}, nil // nobody writes it
	}
	if err != nil {
		return nil, save.LocalError(err)
	}
	if _, err := lock.File(f); err != nil {
		f.Close()
		return nil, err
	}
	if !renamesOpen {
		f.Close()
	}
	return func() { f.Close() }, nil
}
