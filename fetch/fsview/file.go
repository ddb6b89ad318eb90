package fsview

import (
	"errors"
	"io"
	"io/fs"
)

// openFile is a document that is being read.
type openFile struct {
	node *node
	body io.ReadCloser
}

func (f *openFile) Stat() (fs.FileInfo, error) { return f.node, nil }
func (f *openFile) Close() error               { return f.body.Close() }

func (f *openFile) Read(p []byte) (int, error) {
	n, err := f.body.Read(p)
	if err != nil && err != io.EOF {
		err = pathError("read", f.node.name, err)
	}
	return n, err
}

// openFolder is a listing that is being read.
type openFolder struct {
	node   *node
	folder *folder
	next   int
	closed bool
}

func (d *openFolder) Stat() (fs.FileInfo, error) { return d.node, nil }

func (d *openFolder) Close() error {
	d.closed = true
	return nil
}

func (d *openFolder) Read([]byte) (int, error) {
	return 0, &fs.PathError{Op: "read", Path: d.node.name, Err: errors.New("is a folder")}
}

// ReadDir gives the next n entries, all that are left if n is not positive.
func (d *openFolder) ReadDir(n int) ([]fs.DirEntry, error) {
	if d.closed {
		return nil, &fs.PathError{Op: "readdir", Path: d.node.name, Err: fs.ErrClosed}
	}
	rest := d.folder.entries()[d.next:]
	if n > 0 {
		if len(rest) == 0 {
			return nil, io.EOF
		}
		rest = rest[:min(n, len(rest))]
	}
	d.next += len(rest)
	return rest, nil
}
