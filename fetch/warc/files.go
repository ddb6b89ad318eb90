package warc

import (
	"io"
	"os"
	"path/filepath"

	"example.org/deref/fetch"
)

// A File is an archive.
type File struct {
	Path string // of the file that contains it
	Base string // its name in an index
}

// Name returns the name for messages.
func (f File) Name() string { return f.Path }

// A Source is an opened archive.
type Source interface {
	io.Reader
	io.ReaderAt
	io.Seeker
	io.Closer
}

// Open opens an archive.
func (f File) Open() (Source, error) {
	file, err := os.Open(f.Path)
	if err != nil {
		return nil, fetch.Errorf(fetch.ErrLocal, "%w", err)
	}
	return file, nil
}

// Files returns the archives in the named files.
func Files(names ...string) (list []File, err error) {
	for _, name := range names {
		list = append(list, File{name, filepath.Base(name)})
	}
	return list, nil
}
