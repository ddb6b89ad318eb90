package save

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"example.org/deref/fetch"
)

// A target is where a document goes: a name in a folder, or a stream that is written directly.
type target struct {
	folder  *Folder
	name    string // "" until the document gives it
	own     bool   // folder was opened for this one document
	replace bool   // a file of that name may be replaced
	mode    fs.FileMode
	stream  io.Writer // set where nothing is renamed: standard output, a device, a FIFO
	closer  io.Closer
	path    string // of a stream
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
		return j.nameIt(Clean(o.Name))
	case o.ServerName:
		return nil
	}
	return j.nameIt(NameOf(j.uri))
}

// aimAt takes the user's own word for it: links are followed, and what is no file is written directly.
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
	fi, err := os.Lstat(path)
	if err == nil && fi.Mode()&fs.ModeSymlink != 0 && !isSystem(path) {
		if path, fi, err = follow(path, fi); err != nil {
			return err
		}
	}
	switch {
	case err == nil && fi.IsDir(), os.IsPathSeparator(path[len(path)-1]):
		return fetch.Errorf(fetch.ErrLocal, "%s is a directory", path)
	case isSystem(path), err == nil && fi.Mode()&(fs.ModeType&^fs.ModeSymlink) != 0:
		return j.openStream(path)
	case err == nil && fi.Mode().IsRegular():
		t.mode = fi.Mode().Perm()
	}
	return j.openParent(path)
}

// isSystem tells the paths behind which there are open descriptors and devices, whatever Stat says of them: /dev/stdout leads
// to the file that standard output is redirected to.
func isSystem(path string) bool {
	return strings.HasPrefix(path, "/dev/") && !strings.HasPrefix(path, "/dev/shm/") || strings.HasPrefix(path, "/proc/")
}

// follow finds the file that the user's own link leads to, so that the link stays. The system is asked to open it, since it may
// refuse links that others put into a shared directory (protected_symlinks). A link that leads nowhere is replaced itself.
func follow(path string, link fs.FileInfo) (string, fs.FileInfo, error) {
	f, err := os.OpenFile(path, os.O_WRONLY|openNow, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return path, link, nil
	}
	if err == nil {
		f.Close()
		var to string
		if to, err = filepath.EvalSymlinks(path); err == nil {
			fi, err := os.Lstat(to)
			return to, fi, err
		}
	}
	if fi, serr := os.Stat(path); serr == nil && !fi.Mode().IsRegular() {
		return path, fi, nil // a device or FIFO that nobody reads yet
	}
	return path, link, localError(err)
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
			t.mode = fi.Mode().Perm()
		}
		return nil
	case (j.resumes() || j.options.Equal) && fi.Mode().IsRegular():
		return nil // may be continued, or turn out to be the same
	}
	return existsError(t.folder.join(name))
}
