package file

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"syscall"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/mediatype"
)

// run opens the file, and lists it if it is a directory.
func (r *request) run(ctx context.Context, p *fetch.Plan, env *fetch.Env) (*fetch.Document, error) {
	step := p.When("")[0]
	if err := env.Announce(step); err != nil {
		return nil, err
	}
	f, fi, err := r.open()
	if err != nil {
		return nil, err
	}
	if fi.IsDir() {
		step := p.When(isDirectory)[0]
		if err := env.Announce(step); err != nil {
			f.Close()
			return nil, err
		}
		return list(ctx, f, p, env.Limits().Entries)
	}
	d, err := r.document(ctx, f, fi, p)
	if err != nil {
		f.Close()
	}
	return d, err
}

// open checks the type of the file first, because opening a device may have an effect, and opening a FIFO waits for a writer. Another file
// may take the name in between, so open does not wait, and checks again.
func (r *request) open() (*os.File, fs.FileInfo, error) {
	path := string(r.Path)
	fi, err := os.Stat(r.name)
	if err == nil {
		err = checkType(path, fi)
	}
	if err != nil {
		return nil, nil, withKind(err)
	}
	f, err := os.OpenFile(r.name, os.O_RDONLY|noWait, 0)
	if err != nil {
		return nil, nil, withKind(err)
	}
	if fi, err = f.Stat(); err == nil {
		err = checkType(path, fi)
	}
	if err != nil {
		f.Close()
		return nil, nil, withKind(err)
	}
	return f, fi, nil
}

// checkType refuses files that are neither documents nor directories, and a document whose path ends like that of a directory.
func checkType(path string, fi fs.FileInfo) error {
	switch {
	case !fi.Mode().IsRegular() && !fi.IsDir():
		return fetch.Errorf(fetch.ErrLocal, "%q is a %s, not a document", path, kindOf(fi.Mode()))
	case !fi.IsDir() && strings.HasSuffix(path, "/"):
		return &fs.PathError{Op: "open", Path: path, Err: syscall.ENOTDIR}
	}
	return nil
}

// kindOf names the type of a file that is not a document.
func kindOf(m fs.FileMode) string {
	switch {
	case m&fs.ModeNamedPipe != 0:
		return "fifo"
	case m&fs.ModeSocket != 0:
		return "socket"
	case m&fs.ModeDevice != 0:
		return "device"
	}
	return "special file"
}

// withKind sets the Kind of an error of the system.
func withKind(err error) error {
	switch {
	case fetch.KindOf(err) != "":
		return err
	case errors.Is(err, fs.ErrNotExist), isBadName(err):
		e := fetch.Errorf(fetch.ErrNotFound, "%w", err)
		e.Gone = true
		return e
	case errors.Is(err, fs.ErrPermission):
		return fetch.Errorf(fetch.ErrRefused, "%w", err)
	}
	return fetch.Errorf(fetch.ErrLocal, "%w", err)
}

// document describes an open file and seeks to the range that is wanted, or searches in a source file of WAIS.
func (r *request) document(ctx context.Context, f *os.File, fi fs.FileInfo, p *fetch.Plan) (*fetch.Document, error) {
	o := p.Options
	if len(r.words) > 0 && o.Op == fetch.Retrieve {
		return search(f, o.Mode, r.words)
	}
	b := &body{ctx: ctx, f: f, left: -1}
	d := fetch.NewDocument(b)
	d.Type, d.TypeReason = typeOf(f)
	d.SetModified(fi.ModTime(), time.Second)
	d.Validator, d.End = validator(fi), fetch.EndDeclared
	if fi.Size() == 0 { // QUIRK: files of /proc have size 0, but are not empty
		if o.Range.From < 0 {
			return nil, fetch.Errorf(fetch.ErrRange, "the size of the file is unknown, so that it has no last part")
		}
		d.End, d.Validator.Size = fetch.EndTerminated, 0
	} else {
		d.Size = fi.Size()
	}
	if d.NotModified = unchanged(o.IfChanged, d); d.NotModified || o.Op == fetch.Metadata {
		b.left = 0
		return d, nil
	}
	return d, b.seek(d, o)
}

func typeOf(f *os.File) (mediaType, reason string) {
	if t, suffix := mediatype.OfName(f.Name()); t != "" {
		return t, "suffix " + suffix
	}
	var head [mediatype.HeadLen]byte
	n, _ := f.ReadAt(head[:], 0) // the document's reader gets the error, too
	return mediatype.OfContent(head[:n]), "its first bytes"
}

// validator identifies a state of a file by its time, to the nanosecond, and its size. It does not contain the inode: a file restored from
// a backup with its time is the same.
func validator(fi fs.FileInfo) fetch.Validator {
	t := fi.ModTime().UTC()
	return fetch.Validator{Tag: fmt.Sprintf("%x-%x", t.UnixNano(), fi.Size()), Modified: t.Format(time.RFC3339Nano), Size: fi.Size()}
}

// unchanged reports whether d is still in the state v. If v is only a date, it reports whether d is not newer.
func unchanged(v fetch.Validator, d *fetch.Document) bool {
	if v.IsZero() || v.Tag != "" || v.Size > 0 {
		return !v.IsZero() && v.Same(d.Validator)
	}
	for _, layout := range [...]string{time.RFC3339Nano, "Mon, 02 Jan 2006 15:04:05 GMT"} {
		if t, err := time.Parse(layout, v.Modified); err == nil {
			return !d.Modified.Truncate(time.Second).After(t)
		}
	}
	return false
}
