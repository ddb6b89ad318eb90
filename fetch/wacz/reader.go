// Package wacz reads and writes WACZ packages (Web Archive Collection Zipped, version 1.1.1): ZIP files that contain archives, their index, a list of
// pages, and the hashes of all of them. It knows nothing of the archives' own format.
//
//	archive/data.warc.gz        stored, so that readers can request ranges
//	indexes/index.cdx.gz        CDXJ, compressed in blocks
//	indexes/index.idx           the places of the blocks; other programs may write index.cdx, uncompressed, in place of the two
//	pages/pages.jsonl
//	datapackage.json            the sizes and hashes of these
//	datapackage-digest.json     the hash of datapackage.json
package wacz

import (
	"archive/zip"
	"bytes"
	"cmp"
	"compress/flate"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"path"
	"slices"
	"strings"

	"example.org/deref/fetch/checksum"
)

// Bounds on packages.
const (
	maxDirectory = 16 << 20 // bytes of the ZIP directory
	maxEntries   = 100_000
	maxInflated  = 4 << 30  // bytes of the compressed files that Verify reads
	maxMetadata  = 16 << 20 // bytes of datapackage.json
)

// Names in a package.
const (
	archives     = "archive/"
	indexes      = "indexes/"
	packageName  = "datapackage.json"
	package01    = "webarchive.yaml" // of WACZ 0.1, which has no hashes
	digestName   = "datapackage-digest.json"
	pagesName    = "pages/pages.jsonl"
	profile      = "data-package"
	wacz111      = "1.1.1"
	indexName    = "indexes/index.cdx.gz"
	blocksName   = "indexes/index.idx"
	pagesFormat  = "json-pages-1.0"
	zipNumFormat = "cdxj-gzip-1.0"
)

// An Entry is a stored file of a package: a part of the package's own file.
type Entry struct {
	Name         string // archive/data.warc.gz
	Offset, Size int64
}

// A Package is an opened package.
type Package struct {
	Archives []Entry
	Indexes  []Index
	Faults   []string

	files     map[string]*zip.File
	resources []resource
}

// A resource is an entry of datapackage.json.
type resource struct {
	Name  string `json:"name"`
	Path  string `json:"path"`
	Hash  string `json:"hash"`
	Bytes *int64 `json:"bytes"` // early packages have none
}

// A listed resource is an entry in any version of the format. WACZ 1.0.0 (py-wacz before 0.3, the first versions of ArchiveWeb.page) has a hash
// of digits alone, in an object of its own with the size, and the name of the algorithm apart.
type listed struct {
	resource
	Hashing string `json:"hashing"`
	Stats   struct {
		Hash  string `json:"hash"`
		Bytes *int64 `json:"bytes"`
	} `json:"stats"`
}

// current returns the resource in the form of version 1.1.
func (l *listed) current() resource {
	r := l.resource
	r.Hash = cmp.Or(r.Hash, l.Stats.Hash)
	if r.Bytes == nil {
		r.Bytes = l.Stats.Bytes
	}
	if r.Hash != "" && !strings.Contains(r.Hash, ":") {
		r.Hash = cmp.Or(l.Hashing, string(checksum.OfSize(len(r.Hash)/2)), "unknown") + ":" + r.Hash
	}
	return r
}

// IsPackage reports whether data that begins with b may be a package.
func IsPackage(b []byte) bool { return bytes.HasPrefix(b, []byte("PK\x03\x04")) }

// Read reads the directory of a package and its datapackage.json. It compares the hash and the sizes of that, and lists what does not match in Faults.
func Read(r io.ReaderAt, size int64) (*Package, error) {
	directory := &bounded{ReaderAt: r, left: maxDirectory}
	z, err := zip.NewReader(directory, size)
	if err != nil {
		return nil, fmt.Errorf("not a WACZ package: %w", plain(err))
	}
	if len(z.File) > maxEntries {
		return nil, fmt.Errorf("more than %d files in the package", maxEntries)
	}
	directory.isRead = true
	p := &Package{files: map[string]*zip.File{}}
	for _, f := range z.File {
		if err := p.add(f, size); err != nil {
			return nil, err
		}
	}
	if len(p.Archives) == 0 {
		return nil, p.whyEmpty()
	}
	if err := p.checkPlaces(); err != nil {
		return nil, err
	}
	p.readBlocks()
	return p, p.readMetadata()
}

// A bounded ReaderAt fails after that many bytes, until the directory has been read.
type bounded struct {
	io.ReaderAt
	left   int64
	isRead bool
}

func (b *bounded) ReadAt(p []byte, at int64) (int, error) {
	if b.isRead {
		return b.ReaderAt.ReadAt(p, at)
	}
	if b.left -= int64(len(p)); b.left < 0 {
		return 0, fmt.Errorf("the directory is longer than %d bytes", maxDirectory)
	}
	return b.ReaderAt.ReadAt(p, at)
}

// add adds a file of the package.
func (p *Package) add(f *zip.File, size int64) error {
	if strings.HasSuffix(f.Name, "/") {
		return nil
	}
	if !fs.ValidPath(f.Name) || strings.ContainsAny(f.Name, "\\\x00") {
		return fmt.Errorf("the package contains the name %.80q", f.Name)
	}
	if p.files[f.Name] != nil {
		return fmt.Errorf("the package contains two files %.80q", f.Name)
	}
	p.files[f.Name] = f
	isArchive := strings.HasPrefix(f.Name, archives)
	if !isArchive && !isIndexName(f.Name) {
		return nil
	}
	if f.Method != zip.Store {
		if isArchive {
			return fmt.Errorf("%s is compressed within the package, which must store it (zip -0)", f.Name)
		}
		return nil
	}
	at, err := f.DataOffset()
	if err != nil {
		return fmt.Errorf("%s: %w", f.Name, plain(err))
	}
	e := Entry{f.Name, at, int64(f.UncompressedSize64)}
	if f.UncompressedSize64 != f.CompressedSize64 || e.Size < 0 || at < 0 || at > size-e.Size {
		return fmt.Errorf("%s: its size is wrong", f.Name)
	}
	if isArchive {
		p.Archives = append(p.Archives, e)
	} else {
		p.Indexes = append(p.Indexes, Index{Entry: e})
	}
	return nil
}

// checkPlaces returns an error if two files share bytes. A short package could otherwise contain any amount of data.
func (p *Package) checkPlaces() error {
	list := make([]Entry, 0, len(p.files))
	for _, f := range p.files {
		at, err := f.DataOffset()
		if err != nil {
			return fmt.Errorf("%s: %w", f.Name, plain(err))
		}
		if f.CompressedSize64 > math.MaxInt64 {
			return fmt.Errorf("%s: its size is wrong", f.Name)
		}
		list = append(list, Entry{f.Name, at, int64(f.CompressedSize64)})
	}
	slices.SortFunc(list, func(a, b Entry) int { return cmp.Compare(a.Offset, b.Offset) })
	for i := range len(list) - 1 {
		if e := list[i]; e.Size > list[i+1].Offset-e.Offset {
			return fmt.Errorf("%s and %s share bytes of the package", e.Name, list[i+1].Name)
		}
	}
	return nil
}

// isIndexName reports whether a file is an index: CDXJ, or compressed CDXJ.
func isIndexName(name string) bool {
	ext := path.Ext(strings.TrimSuffix(name, ".gz"))
	return strings.HasPrefix(name, indexes) && (ext == ".cdx" || ext == ".cdxj")
}

// readMetadata reads datapackage.json.
func (p *Package) readMetadata() error {
	if p.files[packageName] == nil && p.files[package01] != nil {
		return nil
	}
	text, err := p.read(packageName)
	if err != nil {
		return err
	}
	var d struct {
		Resources []listed `json:"resources"`
	}
	if err := json.Unmarshal(text, &d); err != nil {
		return fmt.Errorf("%s: %w", packageName, err)
	}
	if len(d.Resources) > maxEntries {
		return fmt.Errorf("%s: more than %d resources", packageName, maxEntries)
	}
	isListed := map[string]bool{}
	for _, l := range d.Resources {
		r := l.current()
		p.resources = append(p.resources, r)
		isListed[r.Path] = true
		switch f := p.files[r.Path]; {
		case f == nil:
			p.fault("%.200q is missing", r.Path)
		case !r.isSizeOf(f):
			p.fault("%s has %d bytes, but %s states %d", r.Path, f.UncompressedSize64, packageName, *r.Bytes)
		}
	}
	for _, e := range p.Archives {
		if !isListed[e.Name] {
			p.fault("%s does not list %s", packageName, e.Name)
		}
	}
	return p.checkDigest(text)
}

func (r *resource) isSizeOf(f *zip.File) bool {
	return r.Bytes == nil || *r.Bytes == int64(f.UncompressedSize64)
}

// maxFaults bounds Faults.
const maxFaults = 1000

func (p *Package) fault(format string, args ...any) {
	if len(p.Faults) < maxFaults {
		p.Faults = append(p.Faults, fmt.Sprintf(format, args...))
	}
}

// checkDigest compares the hash of datapackage.json, if the package has it.
func (p *Package) checkDigest(text []byte) error {
	if p.files[digestName] == nil {
		return nil
	}
	b, err := p.read(digestName)
	if err != nil {
		return err
	}
	var d struct{ Path, Hash string }
	if json.Unmarshal(b, &d) != nil || d.Path != packageName {
		p.fault("%s is malformed", digestName)
		return nil
	}
	if got, err := hashLike(d.Hash, bytes.NewReader(text)); err != nil || !strings.EqualFold(got, d.Hash) {
		p.fault("the hash of %s does not match that in %s", packageName, digestName)
	}
	return nil
}

// read returns the contents of a short file.
func (p *Package) read(name string) ([]byte, error) {
	f := p.files[name]
	if f == nil {
		return nil, fmt.Errorf("not a WACZ package: %s is missing", name)
	}
	in, err := f.Open()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, plain(err))
	}
	defer in.Close()
	b, err := io.ReadAll(io.LimitReader(in, maxMetadata+1))
	if err == nil && len(b) > maxMetadata {
		err = fmt.Errorf("longer than %d bytes", maxMetadata)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, plain(err))
	}
	return b, nil
}

// plain returns an error about the ZIP file in our own words.
func plain(err error) error {
	_, corrupt := errors.AsType[flate.CorruptInputError](err)
	switch {
	case errors.Is(err, zip.ErrChecksum):
		return errors.New("the checksum in the ZIP file does not match")
	case errors.Is(err, zip.ErrAlgorithm):
		return errors.New("unknown compression method")
	case errors.Is(err, zip.ErrFormat):
		return errors.New("malformed ZIP file")
	case corrupt, errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("the compressed data is damaged")
	}
	return err
}

// Verify reads the whole package, and calls report for each file whose hash does not match datapackage.json. It does not repeat Faults.
func (p *Package) Verify(report func(fault string)) {
	inflated := uint64(0)
	for _, r := range p.resources {
		f := p.files[r.Path]
		if f == nil || !r.isSizeOf(f) {
			continue // in Faults
		}
		if r.Hash == "" {
			report(fmt.Sprintf("%s has no hash of %s", packageName, r.Path))
			continue
		}
		if f.Method != zip.Store {
			if f.UncompressedSize64 > maxInflated-inflated {
				report(fmt.Sprintf("%s is not verified: the compressed files have more than %d bytes", r.Path, uint64(maxInflated)))
				continue
			}
			inflated += f.UncompressedSize64
		}
		in, err := f.Open()
		got := ""
		if err == nil {
			got, err = hashLike(r.Hash, io.LimitReader(in, int64(f.UncompressedSize64)+1))
			in.Close()
		}
		switch isRead := err == nil || errors.Is(err, zip.ErrChecksum); {
		case isRead && !strings.EqualFold(got, r.Hash):
			report(fmt.Sprintf("the hash of %s does not match %s", r.Path, packageName))
		case err != nil:
			report(fmt.Sprintf("%s: %v", r.Path, plain(err)))
		}
	}
}
