package save

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"example.org/deref/fetch"
)

// A target is where a document goes: a name in a folder, or a stream that is written directly.
type target struct {
	folder  *Folder
	name    string      // "" until the document gives it
	own     bool        // folder was opened for this one document
	replace bool        // a file of that name may be replaced
	old     fs.FileInfo // the regular file that is replaced, if any
	stream  io.Writer   // set where nothing is renamed: standard output, a device, a FIFO
	closer  io.Closer
	path    string // of a stream
}

// perm is the mode of a file that is made for t.
func (t *target) perm() fs.FileMode {
	if t.old != nil {
		return t.old.Mode().Perm()
	}
	return perm
}

// written returns the user's name of what is written, "" if it has none.
func (t *target) written() string {
	if t.stream != nil || t.name == "" {
		return t.path
	}
	return t.folder.join(t.name)
}

func (t *target) close() {
	if t.closer != nil {
		t.closer.Close()
	}
	if t.own {
		t.folder.Close()
	}
}

// aim finds the target as far as it is known before the document is.
func (j *job) aim() error {
	o := j.options
	if o.Path != "" {
		return j.aimAt(o.Path)
	}
	j.target.folder, j.target.replace = o.Folder, o.Force
	if o.Folder == nil {
		f, err := OpenFolder(".")
		if err != nil {
			return err
		}
		j.target.folder, j.target.own = f, true
	}
	switch {
	case o.Name != "":
		return j.nameIt(j.target.folder.clean(o.Name))
	case o.ServerName:
		return nil
	}
	return j.nameIt(NameOf(j.uri))
}

// aimAt resolves the user's own path: links are followed, and what is not a regular file is written directly.
func (j *job) aimAt(path string) error {
	o, t := j.options, &j.target
	if path == "-" {
		if o.Stdout == nil {
			return fetch.Errorf(fetch.ErrLocal, "there is no standard output here")
		}
		t.stream = o.Stdout
		return nil
	}
	if !filepath.IsAbs(path) && o.Folder != nil {
		path = o.Folder.join(path)
	}
	p, err := placeOf(path)
	switch {
	case err != nil:
		return err
	case p.info != nil && p.info.IsDir(), os.IsPathSeparator(path[len(path)-1]):
		return fetch.Errorf(fetch.ErrLocal, "%s is a directory", path)
	case p.stream:
		return j.openStream(p.path)
	}
	t.old = p.info
	return j.openParent(p.path)
}

// openParent opens the folder of path.
func (j *job) openParent(path string) error {
	dir, name := filepath.Split(path)
	if dir == "" {
		dir = "."
	}
	open := OpenFolder
	if j.options.CreateDirs {
		open = CreateFolder
	}
	f, err := open(filepath.Clean(dir))
	if err != nil {
		return err
	}
	t := &j.target
	t.folder, t.own, t.name, t.replace = f, true, name, true
	return nil
}

// openStream opens what is no regular file. A FIFO that nobody reads is waited for until the context ends.
func (j *job) openStream(path string) error {
	j.target.path = path
	for {
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|openNow, 0) // appending: /dev/stdout may be a file that is appended to
		if err == nil {
			j.target.stream, j.target.closer = f, f
			return nil
		}
		if !errors.Is(err, errNoReader) {
			return localError(err)
		}
		if err := sleep(j.ctx, fifoPause); err != nil {
			return err
		}
	}
}

// fifoPause is short for a person and long for a processor.
const fifoPause = 20 * time.Millisecond

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}

// nameIt settles a name that is not the user's own, and refuses it early where it is taken: before anything is fetched, if
// possible. The rename asks again.
func (j *job) nameIt(name string) error {
	t := &j.target
	t.name = name
	if name == "" || j.options.Number && !t.replace || !t.own && t.folder.lacks(name) {
		return nil
	}
	fi, err := t.folder.lookup(name)
	switch {
	case fi == nil || err != nil:
		return err
	case fi.IsDir():
		return fetch.Errorf(fetch.ErrLocal, "%s is a directory", t.folder.join(name))
	case t.replace:
		if fi.Mode().IsRegular() {
			t.old = fi
		}
		return nil
	case (j.resumes() || j.options.Equal) && fi.Mode().IsRegular():
		return nil // may be continued, or turn out to be the same
	}
	return existsError(t.folder.join(name))
}
