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

// Run opens the file, or lists the folder.
func (handler) Run(ctx context.Context, p *fetch.Plan, env *fetch.Env) (*fetch.Document, error) {
	step := p.When("")[0]
	if err := env.Announce(step); err != nil {
		return nil, err
	}
	f, fi, err := open(step.Data)
	if err != nil {
		return nil, err
	}
	if fi.IsDir() {
		step := p.When(isFolder)[0]
		if err := env.Announce(step); err != nil {
			f.Close()
			return nil, err
		}
		return folder(ctx, f, p, env.Limits().Entries)
	}
	d, err := found(ctx, f, fi, p)
	if err != nil {
		f.Close()
	}
	return d, err
}

// found makes what is asked of an open file: the document, or the search that it stands for.
func found(ctx context.Context, f *os.File, fi fs.FileInfo, p *fetch.Plan) (*fetch.Document, error) {
	if w := words(p.URI, p.Options); len(w) > 0 && isSource(f.Name()) && p.Options.Op == fetch.Retrieve {
		return search(f, p.Options.Mode, w)
	}
	return document(ctx, f, fi, p)
}

// open looks before it opens: opening a device alone can do something to it, and opening a FIFO waits for a writer. In case the
// name has changed hands in between, it opens without waiting and looks again.
func open(path string) (*os.File, fs.FileInfo, error) {
	name, err := native(path)
	if err != nil {
		return nil, nil, err
	}
	fi, err := os.Stat(name)
	if err == nil {
		err = plain(path, fi)
	}
	if err != nil {
		return nil, nil, refusal(err)
	}
	f, err := os.OpenFile(name, os.O_RDONLY|noWait, 0)
	if err != nil {
		return nil, nil, refusal(err)
	}
	if fi, err = f.Stat(); err == nil {
		err = plain(path, fi)
	}
	if err != nil {
		f.Close()
		return nil, nil, refusal(err)
	}
	return f, fi, nil
}

// plain refuses what is neither a document nor a folder, and a document that is named like a folder.
func plain(path string, fi fs.FileInfo) error {
	switch {
	case !fi.Mode().IsRegular() && !fi.IsDir():
		return fetch.Errorf(fetch.ErrLocal, "%q is a %s, not a document", path, kindOf(fi.Mode()))
	case !fi.IsDir() && strings.HasSuffix(path, "/"):
		return &fs.PathError{Op: "open", Path: path, Err: syscall.ENOTDIR}
	}
	return nil
}

// kindOf names what is no document.
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

// refusal gives the system's answer its kind.
func refusal(err error) error {
	switch {
	case fetch.KindOf(err) != "":
		return err
	case errors.Is(err, fs.ErrNotExist), isNoName(err):
		e := fetch.Errorf(fetch.ErrNotFound, "%w", err)
		e.Gone = true
		return e
	case errors.Is(err, fs.ErrPermission):
		return fetch.Errorf(fetch.ErrRefused, "%w", err)
	}
	return fetch.Errorf(fetch.ErrLocal, "%w", err)
}

// document describes an open file and cuts out the part that is wanted.
func document(ctx context.Context, f *os.File, fi fs.FileInfo, p *fetch.Plan) (*fetch.Document, error) {
	b := &body{ctx: ctx, f: f, left: -1}
	d := fetch.NewDocument(b)
	d.Type, d.TypeReason = typeOf(f)
	d.Modified, d.Validator, d.End = fi.ModTime(), validator(fi), fetch.EndDeclared
	o := p.Options
	if fi.Size() == 0 { // QUIRK: files of /proc have no size, and octets all the same
		if o.Range.From < 0 {
			return nil, fetch.Errorf(fetch.ErrRange, "a file without a size has no last part")
		}
		d.End, d.Validator.Size = fetch.EndTerminated, 0
	} else {
		d.Size = fi.Size()
	}
	if d.NotModified = unchanged(o.IfChanged, d); d.NotModified || o.Op == fetch.Metadata {
		b.left = 0
		return d, nil
	}
	return d, b.part(d, o)
}

func typeOf(f *os.File) (mediaType, reason string) {
	if t, suffix := mediatype.OfName(f.Name()); t != "" {
		return t, "suffix " + suffix
	}
	var head [mediatype.HeadLen]byte
	n, _ := f.ReadAt(head[:], 0) // an error will be met again by whoever reads
	return mediatype.OfContent(head[:n]), "its first octets"
}

// validator identifies a state of a file: by its time to the nanosecond and its size. The i-node is left out: a file that was
// copied back from a backup, time and all, is the same.
func validator(fi fs.FileInfo) fetch.Validator {
	t := fi.ModTime().UTC()
	return fetch.Validator{Tag: fmt.Sprintf("%x-%x", t.UnixNano(), fi.Size()), Modified: t.Format(time.RFC3339Nano), Size: fi.Size()}
}

// unchanged says whether d is still in the state v, or where v is no more than a date, not younger than that.
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
