package save

import (
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"example.org/deref/fetch"
)

// A Folder is a directory that is opened once. Names in it are looked up from there and never lead out of it, whatever
// happens to its path or to symbolic links meanwhile. It is safe for concurrent use.
type Folder struct {
	root    *os.Root
	dir     *os.File // the same directory, for what os.Root cannot do
	path    string
	buffers sync.Pool

	exact   bool        // names are cleaned by CleanExact
	plainly atomic.Bool // quick cannot be done here
	first   sync.Once
	before  map[string]bool // see lacks
	parts   atomic.Bool     // there is, or was, a part of ours
}

// OpenFolder opens the directory path.
func OpenFolder(path string) (*Folder, error) {
	f, err := openFolder(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &fetch.Error{Kind: fetch.ErrLocal, Text: "there is no folder " + path, Hint: fetch.HintCreateDirs, Err: err}
	}
	return f, err
}

func openFolder(path string) (*Folder, error) {
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, localError(err)
	}
	return newFolder(root, path)
}

// CreateFolder opens the directory path, after making it and those above it where they are missing.
func CreateFolder(path string) (*Folder, error) {
	if err := os.MkdirAll(path, 0o777); err != nil {
		return nil, localError(err)
	}
	return OpenFolder(path)
}

func newFolder(root *os.Root, path string) (*Folder, error) {
	dir, err := root.Open(".")
	if err != nil {
		root.Close()
		return nil, localError(err)
	}
	return &Folder{root: root, dir: dir, path: path}, nil
}

// Exact makes f, and what Sub opens in it, clean names by CleanExact. It is called before anything else is done with f.
func (f *Folder) Exact() { f.exact = true }

// clean makes a plain name of one that a server gave.
func (f *Folder) clean(name string) string {
	if f.exact {
		return CleanExact(name)
	}
	return Clean(name)
}

// Sub opens the folder of one name within f, after making it where it is missing. The name is cleaned first, and must not be
// that of a symbolic link.
func (f *Folder) Sub(name string) (*Folder, error) {
	name = f.clean(name)
	if err := f.root.Mkdir(name, 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, localError(err)
	}
	if fi, err := f.root.Lstat(name); err == nil && !fi.IsDir() {
		return nil, fetch.Errorf(fetch.ErrLocal, "%s is no directory", filepath.Join(f.path, name))
	}
	root, err := f.root.OpenRoot(name)
	if err != nil {
		return nil, localError(err)
	}
	sub, err := newFolder(root, filepath.Join(f.path, name))
	if err == nil {
		sub.exact = f.exact
	}
	return sub, err
}

// Close closes the directory. What is being saved there must have ended.
func (f *Folder) Close() error {
	return errors.Join(f.dir.Close(), f.root.Close())
}

// Path returns the path that the folder was opened by.
func (f *Folder) Path() string { return f.path }

// join returns the path of a name in f for people.
func (f *Folder) join(name string) string {
	if f.path == "" || f.path == "." {
		return name
	}
	return filepath.Join(f.path, name)
}

// smallSize is what a document may have to be read whole before a file is made for it: one write, and no file at all where
// reading fails.
const smallSize = 64 << 10

type buffer [smallSize]byte

func (f *Folder) buffer() *buffer {
	if b, ok := f.buffers.Get().(*buffer); ok {
		return b
	}
	return new(buffer)
}

// tempPrefix starts the names of temporary files. They are short, so that one fits beside a name of any length, and hidden,
// so that Clean never makes one.
const tempPrefix = ".deref-"

// IsTemporary reports whether a save gives such a name to a file that is not whole yet. A process that was killed leaves them.
func IsTemporary(name string) bool { return strings.HasPrefix(name, tempPrefix) }

// tries bounds how often another random name is tried.
const tries = 100

func tempName() string {
	return tempPrefix + strconv.FormatUint(rand.Uint64(), 36)
}

// temp makes a file of a name that nobody has. O_EXCL admits no link either.
func (f *Folder) temp(perm fs.FileMode) (*os.File, string, error) {
	for i := 0; ; i++ {
		name := tempName()
		file, err := f.root.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL|openNow, perm)
		if err == nil {
			return file, name, nil
		}
		if !errors.Is(err, fs.ErrExist) || i == tries {
			return nil, "", localError(err)
		}
	}
}

// lookup returns what has a name, a symbolic link being itself; nil where nothing has it.
func (f *Folder) lookup(name string) (fs.FileInfo, error) {
	fi, err := f.root.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, localError(err)
	}
	return fi, nil
}

// place gives the file old its final name. Without replace it fails with fs.ErrExist where the name is taken.
func (f *Folder) place(old, name string, replace bool) error {
	if replace {
		return f.root.Rename(old, name)
	}
	return f.renameNew(old, name)
}

// numbers is how many files of one name a folder may hold.
const numbers = 1 << 20

// placeNumbered gives the file old a name with the first number that is free, if name itself is not, and returns it.
func (f *Folder) placeNumbered(old, name string) (string, error) {
	err := f.renameNew(old, name)
	if err == nil {
		return name, nil
	}
	for n := f.firstFree(name); n < numbers && errors.Is(err, fs.ErrExist); n++ {
		next := numbered(name, strconv.Itoa(n))
		if err = f.renameNew(old, next); err == nil {
			return next, nil
		}
	}
	return "", err
}

// firstFree halves its way to a number that is likely to be free: twenty thousand documents of one name are not looked up one
// by one each time.
func (f *Folder) firstFree(name string) int {
	taken := func(n int) bool {
		fi, _ := f.lookup(numbered(name, strconv.Itoa(n)))
		return fi != nil
	}
	high := 2
	for high < numbers && taken(high) {
		high *= 2
	}
	return high/2 + 1 + sort.Search(high-high/2-1, func(i int) bool { return !taken(high/2 + 1 + i) })
}

// linkNew is renameNew for systems and file systems without a call for it.
func (f *Folder) linkNew(old, name string) error {
	err := f.root.Link(old, name)
	if err == nil {
		return f.root.Remove(old)
	}
	if errors.Is(err, fs.ErrExist) {
		return err
	}
	// QUIRK: FAT, and Android's storage, have no links. What is left is to look first.
	if fi, lerr := f.lookup(name); fi != nil || lerr != nil {
		return fs.ErrExist
	}
	return f.root.Rename(old, name)
}

func (f *Folder) setTime(name string, t time.Time) error {
	return f.root.Chtimes(name, time.Time{}, t)
}
