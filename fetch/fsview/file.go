package fsview

import (
	"bytes"
	"errors"
	"io"
	"io/fs"

	"example.org/deref/fetch"
)

// An openFile is a document being read. It can be read from any offset: with a range if the protocol has ranges, else by fetching it again.
type openFile struct {
	fs   *FS
	node *node
	doc  *fetch.Document
	at   int64  // offset of the Body
	next int64  // offset of the next Read
	head []byte // the first bytes, for programs that sniff the type and then seek back
	done bool
}

// How much of a document is held: of every document, and of one of unknown size, to count it without a second request.
const (
	maxHead  = 4 << 10
	maxCount = 1 << 20
)

// Stat returns the size of the document. If the server has not sent it, Stat reads the document to its end: a program that relies on the
// Size, such as the FileServer of net/http, would treat an unknown one as an empty file.
func (f *openFile) Stat() (fs.FileInfo, error) {
	if !f.done && f.node.size() < 0 {
		n, err := f.count()
		if err != nil {
			return nil, pathError("stat", f.node.name, err)
		}
		f.node.update(n, f.doc.Modified)
	}
	return f.node, nil
}

func (f *openFile) count() (int64, error) {
	if f.at == int64(len(f.head)) {
		var b bytes.Buffer
		n, err := io.Copy(&b, io.LimitReader(f.doc.Body, maxCount))
		f.head = append(f.head, b.Bytes()...)
		if f.at += n; err != nil {
			return 0, err
		}
	}
	n, err := io.Copy(io.Discard, f.doc.Body)
	f.at += n
	return f.at, err
}

func (f *openFile) Close() error {
	if f.done {
		return &fs.PathError{Op: "close", Path: f.node.name, Err: fs.ErrClosed}
	}
	f.done = true
	return f.doc.Body.Close()
}

func (f *openFile) Read(p []byte) (n int, err error) {
	switch size := f.node.size(); {
	case f.done:
		err = fs.ErrClosed
	case f.next < int64(len(f.head)):
		n = copy(p, f.head[f.next:])
	case f.next != f.at && size >= 0 && f.next >= size:
		return 0, io.EOF
	default:
		n, err = f.read(p)
	}
	f.next += int64(n)
	if err != nil && err != io.EOF {
		err = pathError("read", f.node.name, err)
	}
	return n, err
}

func (f *openFile) read(p []byte) (int, error) {
	if err := f.move(); err != nil {
		return 0, err
	}
	n, err := f.doc.Body.Read(p)
	if room := maxHead - len(f.head); f.at == int64(len(f.head)) && room > 0 {
		f.head = append(f.head, p[:min(n, room)]...)
	}
	f.at += int64(n)
	return n, err
}

// move brings the Body to the offset of the next Read.
func (f *openFile) move() error {
	if f.at == f.next {
		return nil
	}
	f.doc.Body.Close()
	same := f.doc.Validator
	d, err := f.fs.fetch(f.node.uri, fetch.Options{Range: fetch.Range{From: f.next}, IfSame: same})
	if fetch.KindOf(err) == fetch.ErrRange {
		d, err = f.fs.fetch(f.node.uri, fetch.Options{})
	}
	if err != nil {
		return err
	}
	if !same.IsZero() && !same.Same(d.Validator) {
		d.Body.Close()
		return fetch.Errorf(fetch.ErrChanged, "the document changed after it was opened")
	}
	f.doc, f.at = d, d.Offset
	n, err := io.CopyN(io.Discard, d.Body, f.next-f.at)
	f.at += n
	return err
}

// Seek sets the offset of the next Read. It sends no request.
func (f *openFile) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekCurrent:
		offset += f.next
	case io.SeekEnd:
		info, err := f.Stat()
		if err != nil {
			return 0, err
		}
		offset += info.Size()
	}
	if offset < 0 || whence < io.SeekStart || whence > io.SeekEnd {
		return 0, &fs.PathError{Op: "seek", Path: f.node.name, Err: fs.ErrInvalid}
	}
	f.next = offset
	return offset, nil
}

// An openDir is a listing being read.
type openDir struct {
	node   *node
	dir    *dir
	next   int
	closed bool
}

func (d *openDir) Stat() (fs.FileInfo, error) { return d.node, nil }

func (d *openDir) Close() error {
	d.closed = true
	return nil
}

func (d *openDir) Read([]byte) (int, error) {
	return 0, &fs.PathError{Op: "read", Path: d.node.name, Err: errors.New("is a directory")}
}

// ReadDir returns the next n entries, or all remaining ones if n is not positive.
func (d *openDir) ReadDir(n int) ([]fs.DirEntry, error) {
	if d.closed {
		return nil, &fs.PathError{Op: "readdir", Path: d.node.name, Err: fs.ErrClosed}
	}
	rest := d.dir.entries()[d.next:]
	if n > 0 {
		if len(rest) == 0 {
			return nil, io.EOF
		}
		rest = rest[:min(n, len(rest))]
	}
	d.next += len(rest)
	return rest, nil
}
