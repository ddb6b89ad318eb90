package testservers

import (
	"io/fs"
	"os"
)

// OpenTree opens a directory that the servers serve. Unlike os.Root.FS, it also opens files whose names are not UTF-8, which fs.ValidPath
// rejects: every name that ReadDir returns can be opened. It does not follow symbolic links out of the directory.
func OpenTree(dir string) (fs.FS, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	return &tree{root}, nil
}

// A tree has the methods of root that read.
type tree struct{ root *os.Root }

func (t *tree) Open(name string) (fs.File, error)      { return t.root.Open(name) }
func (t *tree) ReadFile(name string) ([]byte, error)   { return t.root.ReadFile(name) }
func (t *tree) Stat(name string) (fs.FileInfo, error)  { return t.root.Stat(name) }
func (t *tree) Lstat(name string) (fs.FileInfo, error) { return t.root.Lstat(name) }
func (t *tree) ReadLink(name string) (string, error)   { return t.root.Readlink(name) }
