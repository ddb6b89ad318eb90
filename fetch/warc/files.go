package warc

import (
	"errors"
	"io"
	"math"
	"os"
	"path"
	"path/filepath"

	"example.org/deref/fetch"
	"example.org/deref/fetch/save"
	"example.org/deref/fetch/wacz"
)

// A File is an archive: a file, or one in a WACZ package.
type File struct {
	Path string // of the file that contains it
	Base string // its name in an index

	entry      string // its name in a WACZ package
	from, size int64  // where it is in that
}

// Name returns the name for messages.
func (f File) Name() string {
	if f.entry != "" {
		return f.Path + ": " + f.entry
	}
	return f.Path
}

// A Source is an opened archive.
type Source interface {
	io.Reader
	io.ReaderAt
	io.Seeker
	io.Closer
}

// Open opens an archive.
func (f File) Open() (Source, error) {
	file, err := os.Open(f.Path)
	if err != nil {
		return nil, save.LocalError(err)
	}
	if f.entry == "" {
		return file, nil
	}
	return &section{io.NewSectionReader(file, f.from, f.size), file}, nil
}

// length returns the size of an archive.
func (f File) length() (int64, error) {
	if f.entry != "" {
		return f.size, nil
	}
	is, err := os.Stat(f.Path)
	if err != nil {
		return 0, save.LocalError(err)
	}
	return is.Size(), nil
}

// A section is an archive in a WACZ package.
type section struct {
	*io.SectionReader
	io.Closer
}

// Files returns the archives in the named files: each is an archive, or a WACZ package.
func Files(names ...string) (list []File, err error) {
	for _, name := range names {
		files, _, err := contained(name, nil)
		if err != nil {
			return nil, err
		}
		list = append(list, files...)
	}
	return list, nil
}

// contained returns the archives in a named file, and the index of all of them if one can be used: next to an archive, or in a WACZ package. It calls
// check for a package.
func contained(name string, check func(*os.File, *wacz.Package)) (files []File, x *indexFile, err error) {
	f, p, err := readPackage(name)
	if err != nil {
		return nil, nil, err
	}
	if p == nil {
		f := File{Path: name, Base: filepath.Base(name)}
		return []File{f}, openIndex(f), nil
	}
	defer f.Close()
	if check != nil {
		check(f, p)
	}
	files = packed(name, p.Archives)
	return files, packedIndex(name, p, files), nil
}

// packed returns files of a package.
func packed(name string, entries []wacz.Entry) (list []File) {
	for _, e := range entries {
		list = append(list, File{name, path.Base(e.Name), e.Name, e.Offset, e.Size})
	}
	return list
}

// packedIndex returns the index of a package, or nil if it cannot be used.
func packedIndex(name string, p *wacz.Package, archives []File) *indexFile {
	if len(p.Indexes) != 1 {
		return nil
	}
	x := &indexFile{file: packed(name, []wacz.Entry{p.Indexes[0].Entry})[0]}
	if p.Indexes[0].Blocks != nil {
		x.blocks = &p.Indexes[0]
	}
	if !x.fits(archives) {
		return nil
	}
	return x
}

// CheckPackage reports the files of a WACZ package that do not match their hashes. isPackage is false for other files.
func CheckPackage(name string, report func(string)) (isPackage bool, err error) {
	f, p, err := readPackage(name)
	if err != nil || p == nil {
		return false, err
	}
	defer f.Close()
	verify(f, p, math.MaxInt64, report)
	return true, nil
}

// verify reports what does not match in a package. It compares the hashes if the package has at most most bytes, and returns how many it has read.
func verify(f *os.File, p *wacz.Package, most int64, report func(string)) int64 {
	for _, fault := range p.Faults {
		report(fault)
	}
	is, err := f.Stat()
	if err != nil || is.Size() > most {
		return 0
	}
	p.Verify(report)
	return is.Size()
}

// readPackage reads the directory of a WACZ package. It returns nil if the file is not a package. The caller closes that of a package.
func readPackage(name string) (*os.File, *wacz.Package, error) {
	is, err := os.Stat(name)
	if err != nil || !is.Mode().IsRegular() {
		return nil, nil, nil // reading the archive reports it
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, nil, save.LocalError(err)
	}
	var magic [4]byte
	if n, _ := f.ReadAt(magic[:], 0); !wacz.IsPackage(magic[:n]) {
		defer f.Close()
		if magic[0] == '{' {
			if err := wacz.CheckCollection(f); err != nil {
				return nil, nil, packageError(name, err)
			}
		}
		return nil, nil, nil
	}
	p, err := wacz.Read(f, is.Size())
	if err != nil {
		f.Close()
		return nil, nil, packageError(name, err)
	}
	return f, p, nil
}

// packageError returns the error of reading a package.
func packageError(name string, err error) error {
	if _, ok := errors.AsType[*wacz.CollectionError](err); ok {
		return fetch.Errorf(fetch.ErrUnsupported, "%s: %w", name, err)
	}
	return fetch.Errorf(fetch.ErrProtocol, "%s: %w", name, err)
}
