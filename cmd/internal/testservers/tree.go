package testservers

import (
	"io/fs"
	"os"
	"strings"
	"unicode/utf8"
)

// OpenTree opens a directory that the servers serve. Unlike os.Root.FS, it also opens files whose names are not UTF-8, which fs.ValidPath
// rejects: every name that ReadDir returns can be opened. It does not follow symbolic links out of the directory.
func OpenTree(dir string) (fs.FS, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	return &tree{root, root.FS()}, nil
}

// A tree passes names in UTF-8 to fsys, and others to root.
type tree struct {
	root *os.Root
	fsys fs.FS
}

// isBytes reports whether name is a valid path except that it is not UTF-8.
func isBytes(name string) bool {
	return !utf8.ValidString(name) && fs.ValidPath(strings.ToValidUTF8(name, "_"))
}

func (t *tree) Open(name string) (fs.File, error) {
	if isBytes(name) {
		return t.root.Open(name)
	}
	return t.fsys.Open(name)
}

func (t *tree) ReadFile(name string) ([]byte, error) {
	if isBytes(name) {
		return t.root.ReadFile(name)
	}
	return fs.ReadFile(t.fsys, name)
}

func (t *tree) Stat(name string) (fs.FileInfo, error) {
	if isBytes(name) {
		return t.root.Stat(name)
	}
	return fs.Stat(t.fsys, name)
}

func (t *tree) Lstat(name string) (fs.FileInfo, error) {
	if isBytes(name) {
		return t.root.Lstat(name)
	}
	return fs.Lstat(t.fsys, name)
}

func (t *tree) ReadLink(name string) (string, error) {
	if isBytes(name) {
		return t.root.Readlink(name)
	}
	return fs.ReadLink(t.fsys, name)
}
