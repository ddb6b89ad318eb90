package save

import (
	"cmp"
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"example.org/deref/fetch"
	"example.org/deref/fetch/hint"
)

// A Dir is a directory that is opened once. Names in it are looked up from there and never refer to anything outside it, even if its path
// or symbolic links change meanwhile. It is safe for concurrent use.
type Dir struct {
	root    *os.Root
	handle  *os.File    // the same directory, for operations that os.Root lacks
	is      fs.FileInfo // of handle
	path    string
	prefix  string // of the paths of names in it
	buffers sync.Pool

	exact   bool        // names are cleaned by CleanExact
	used    atomic.Bool // knownFree was called
	first   sync.Once
	initial map[string]bool // see knownFree; nil if not known
	parts   atomic.Bool     // this process has made a part here

	made     []string // directories in which this process has created one on the way to this
	syncMade sync.Once
	lost     error // of syncMade
}

// OpenDir opens the directory path.
func OpenDir(path string) (*Dir, error) {
	f, err := openDir(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &fetch.Error{Kind: fetch.ErrLocal, Text: "no such directory: " + path, Hint: hint.CreateDirs, Err: err}
	}
	return f, err
}

func openDir(path string) (*Dir, error) {
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, LocalError(err)
	}
	return newDir(root, path)
}

// CreateDir opens the directory path. It creates the directory and its parents if they do not exist.
func CreateDir(path string) (*Dir, error) {
	var made []string
	for at := filepath.Clean(path); ; {
		if _, err := os.Stat(at); !errors.Is(err, fs.ErrNotExist) || at == filepath.Dir(at) {
			break
		}
		at = filepath.Dir(at)
		made = append(made, at)
	}
	if err := os.MkdirAll(path, 0o777); err != nil {
		return nil, LocalError(err)
	}
	f, err := OpenDir(path)
	if err == nil {
		f.made = made
	}
	return f, err
}

// RemoveCreated removes, if they are empty, the directories that CreateDir has created to open f. Close f before.
func (f *Dir) RemoveCreated() {
	at := f.path
	for _, parent := range f.made {
		os.Remove(at)
		at = parent
	}
}

// sync makes the names in the directory durable, and its own.
func (f *Dir) sync() error {
	f.syncMade.Do(func() {
		for _, name := range f.made {
			f.lost = cmp.Or(f.lost, SyncDir(name))
		}
	})
	return cmp.Or(f.lost, syncDir(f.handle))
}

func newDir(root *os.Root, path string) (*Dir, error) {
	dir, err := root.Open(".")
	if err != nil {
		root.Close()
		return nil, LocalError(err)
	}
	is, err := dir.Stat()
	if err != nil {
		root.Close()
		dir.Close()
		return nil, LocalError(err)
	}
	return &Dir{root: root, handle: dir, is: is, path: path, prefix: strings.TrimSuffix(filepath.Join(path, "x"), "x")}, nil
}

// Exact makes f, and every directory that Sub opens in it, clean names with CleanExact. Call it before any other method.
func (f *Dir) Exact() { f.exact = true }

// clean returns the file name for a name that a server sent.
func (f *Dir) clean(name string) string {
	if f.exact {
		return CleanExact(name)
	}
	return Clean(name)
}

// Sub opens the directory called name within f, and creates it if it does not exist. The name is cleaned first. It must not be a symbolic
// link.
func (f *Dir) Sub(name string) (*Dir, error) {
	name = f.clean(name)
	made := f.made
	err := f.root.Mkdir(name, 0o777)
	if err == nil {
		made = append(made[:len(made):len(made)], f.path)
	} else if !errors.Is(err, fs.ErrExist) {
		return nil, LocalError(err)
	}
	if fi, err := f.root.Lstat(name); err == nil && !fi.IsDir() {
		return nil, fetch.Errorf(fetch.ErrLocal, "%s is not a directory", filepath.Join(f.path, name))
	}
	root, err := f.root.OpenRoot(name)
	if err != nil {
		return nil, LocalError(err)
	}
	sub, err := newDir(root, filepath.Join(f.path, name))
	if err == nil {
		sub.exact, sub.made = f.exact, made
	}
	return sub, err
}

// Has reports whether name within f still is the directory sub, which Sub has opened by that name, and not, for example, a link to it.
func (f *Dir) Has(name string, sub *Dir) bool {
	now, err := f.root.Lstat(f.clean(name))
	return err == nil && os.SameFile(now, sub.is)
}

// Lstat returns information about name within f, without following a symbolic link. The name is not cleaned.
func (f *Dir) Lstat(name string) (fs.FileInfo, error) { return f.root.Lstat(name) }

// Close closes the directory. All saves into it must have ended.
func (f *Dir) Close() error {
	return errors.Join(f.handle.Close(), f.root.Close())
}

// Path returns the path that the directory was opened by.
func (f *Dir) Path() string { return f.path }

// join returns the path of a name in f, for messages.
func (f *Dir) join(name string) string { return f.prefix + name }

// smallSize is the size up to which a document is read completely before a file is created: it needs one write, and no file at all if
// reading fails.
const smallSize = 64 << 10

type buffer [smallSize]byte

func (f *Dir) buffer() *buffer {
	if b, ok := f.buffers.Get().(*buffer); ok {
		return b
	}
	return new(buffer)
}

// tempPrefix starts the names of temporary files. It is short, so that a temporary name fits wherever a name does, and hidden, so that
// Clean never returns such a name.
const tempPrefix = ".deref-"

// IsTemporary reports whether name is one that a save gives to an unfinished file. A killed process leaves such files.
func IsTemporary(name string) bool { return strings.HasPrefix(name, tempPrefix) }

// tries bounds the attempts to find an unused random name.
const tries = 100

func tempName() string {
	var name [32]byte
	return string(strconv.AppendUint(append(name[:0], tempPrefix...), rand.Uint64(), 36))
}

// temp creates a file with an unused name. O_EXCL refuses links, too.
func (f *Dir) temp(perm fs.FileMode) (*os.File, string, error) {
	for i := 0; ; i++ {
		name := tempName()
		file, err := f.root.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL|openNow, perm)
		if err == nil {
			return file, name, nil
		}
		if !errors.Is(err, fs.ErrExist) || i == tries {
			return nil, "", LocalError(err)
		}
	}
}

// lookup returns information about name without following a symbolic link. It returns nil if the name does not exist.
func (f *Dir) lookup(name string) (fs.FileInfo, error) {
	fi, err := f.root.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, LocalError(err)
	}
	return fi, nil
}

// linkNew is renameNew for systems and file systems without a call for it.
func (f *Dir) linkNew(old, name string) error {
	err := f.root.Link(old, name)
	if err == nil {
		return f.root.Remove(old)
	}
	if errors.Is(err, fs.ErrExist) {
		return err
	}
	// QUIRK: FAT and Android's storage have no hard links. Looking first is the best that can be done.
	if fi, lerr := f.lookup(name); fi != nil || lerr != nil {
		return fs.ErrExist
	}
	return f.root.Rename(old, name)
}
