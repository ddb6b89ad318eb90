package fsview

import (
	"bytes"
	"errors"
	"io"
	"io/fs"

	"example.org/deref/fetch"
)

// openFile is a document that is being read. It can be read from any place: as a part where the protocol has parts, else anew.
type openFile struct {
	fs   *FS
	node *node
	doc  *fetch.Document
	at   int64  // where the Body stands
	next int64  // where the next Read begins
	head []byte // the first octets: programs that look at them to tell the type go back to the beginning
	done bool
}

// How much of a document is held: of every one, and of one whose size is not told, to count it without a second request.
const (
	maxHead  = 4 << 10
	maxCount = 1 << 20
)

// Stat tells the size of the document. Where the server has not said it, the document is read to its end for that: a program that
// believes a Size, like net/http's FileServer, would take an unknown one for an empty file.
func (f *openFile) Stat() (fs.FileInfo, error) {
	if !f.done && f.node.size() < 0 {
		n, err := f.count()
		if err != nil {
			return nil, pathError("stat", f.node.name, err)
		}
		f.node.tell(n, f.doc.Modified)
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

// move brings the Body to where the next Read begins.
func (f *openFile) move() error {
	if f.at == f.next {
		return nil
	}
	f.doc.Body.Close()
	same := f.doc.Validator
	d, err := f.fs.client.Get(f.fs.ctx, f.node.uri, &fetch.Options{Range: fetch.Range{From: f.next}, IfSame: same})
	if fetch.KindOf(err) == fetch.ErrRange {
		d, err = f.fs.client.Get(f.fs.ctx, f.node.uri, nil)
	}
	if err != nil {
		return err
	}
	f.doc, f.at = d, d.Offset
	if !same.IsZero() && !same.Same(d.Validator) {
		return fetch.Errorf(fetch.ErrChanged, "the document has changed since it was opened")
	}
	n, err := io.CopyN(io.Discard, d.Body, f.next-f.at)
	f.at += n
	return err
}

// Seek says where the next Read begins; nothing is asked for until then.
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
