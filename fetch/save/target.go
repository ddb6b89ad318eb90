package save

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"example.org/deref/fetch"
)

// A target is where a document is saved: a name in a directory, or a stream that is written directly.
type target struct {
	dir     *Dir
	name    string      // "" until the document determines it
	own     bool        // dir was opened for this document
	replace bool        // a file of that name may be replaced
	old     fs.FileInfo // the regular file that is replaced, if any
	stream  io.Writer   // set if nothing is renamed: standard output, a device, a FIFO
	closer  io.Closer
	path    string // of a stream
}

// perm returns the mode of a file created for t.
func (t *target) perm() fs.FileMode {
	if t.old != nil {
		return t.old.Mode().Perm()
	}
	return perm
}

// file returns the path of the file, for messages.
func (t *target) file() string { return t.dir.join(t.name) }

// written returns the path as the user knows it, or "".
func (t *target) written() string {
	if t.stream != nil || t.name == "" {
		return t.path
	}
	return t.file()
}

func (t *target) close() {
	if t.closer != nil {
		t.closer.Close()
	}
	if t.own {
		t.dir.Close()
	}
}

// resolve finds the target as far as it does not depend on the document.
func (j *job) resolve() error {
	o := j.options
	if o.Path != "" {
		return j.resolvePath(o.Path)
	}
	j.target.dir, j.target.replace = o.Dir, o.Force
	if o.Dir == nil {
		f, err := OpenDir(".")
		if err != nil {
			return err
		}
		j.target.dir, j.target.own = f, true
	}
	switch {
	case o.Name != "":
		return j.setName(j.target.dir.clean(o.Name))
	case o.NameOf != nil, o.ServerName:
		return nil
	}
	return j.setName(NameIn(j.uri, o.Charset))
}

// resolvePath resolves the user's own path. It follows links, and writes anything but a regular file directly.
func (j *job) resolvePath(path string) error {
	o, t := j.options, &j.target
	if path == "-" {
		if o.Stdout == nil {
			return fetch.Errorf(fetch.ErrLocal, "no standard output available")
		}
		t.stream = o.Stdout
		return nil
	}
	if !filepath.IsAbs(path) && o.Dir != nil {
		path = filepath.Join(o.Dir.path, path)
	}
	p, err := placeOf(path)
	switch {
	case err != nil:
		return err
	case p.info != nil && p.info.IsDir(), os.IsPathSeparator(path[len(path)-1]):
		return fetch.Errorf(fetch.ErrLocal, "%s is a directory", path)
	case p.stream:
		return j.openStream(p)
	}
	t.old = p.info
	return j.openParent(p.path)
}

// openParent opens the directory of path.
func (j *job) openParent(path string) error {
	dir, name := filepath.Split(path)
	if dir == "" {
		dir = "."
	}
	open := OpenDir
	if j.options.CreateDirs {
		open = CreateDir
	}
	f, err := open(filepath.Clean(dir))
	if err != nil {
		return err
	}
	t := &j.target
	t.dir, t.own, t.name, t.replace = f, true, name, true
	return nil
}

// openStream opens anything but a regular file. It waits until the context ends for a FIFO to get a reader.
func (j *job) openStream(p place) error {
	j.target.path = p.path
	for {
		f, err := os.OpenFile(p.path, os.O_WRONLY|os.O_APPEND|openNow, 0) // appending, since /dev/stdout may be redirected with >>
		if err == nil {
			j.target.stream, j.target.closer = f, f
			return nil
		}
		isFIFO := p.info != nil && p.info.Mode()&fs.ModeNamedPipe != 0 // a socket and an absent terminal have the same error
		if !isFIFO || !errors.Is(err, errNoReader) {
			return LocalError(err)
		}
		select {
		case <-j.ctx.Done():
			return j.ctx.Err()
		case <-time.After(fifoPause):
		}
	}
}

// fifoPause is short for a user and long for a processor.
const fifoPause = 20 * time.Millisecond

// setName sets a name from a URI or server. It refuses a name that is taken early, if possible before anything is fetched. The final rename
// checks again.
func (j *job) setName(name string) error {
	t := &j.target
	t.name = name
	if name == "" || !t.own && !j.options.Keep && t.dir.knownFree(name) {
		return nil
	}
	fi, err := t.dir.lookup(name)
	switch {
	case fi == nil || err != nil:
		return err
	case fi.IsDir():
		return fetch.Errorf(fetch.ErrLocal, "%s is a directory", t.dir.join(name))
	case t.replace, j.options.Keep:
		if fi.Mode().IsRegular() {
			t.old = fi
		}
		return nil
	case (j.resumes() || j.options.Equal) && fi.Mode().IsRegular():
		return nil // may be continued, or have the same content
	}
	return existsError(t.dir.join(name))
}
