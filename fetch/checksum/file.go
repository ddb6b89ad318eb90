package checksum

import (
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// A Digest is a digest as somebody has stated it.
type Digest struct {
	Algorithm Algorithm
	Sum       []byte
}

// String returns the digest as "sha-256:HEX".
func (d Digest) String() string { return string(d.Algorithm) + ":" + hex.EncodeToString(d.Sum) }

// ParseHex parses a digest in hexadecimal. Its length must be that of the algorithm.
func ParseHex(a Algorithm, s string) (Digest, error) {
	f := a.function()
	if f.make == nil {
		return Digest{}, fmt.Errorf("unknown algorithm %q", a)
	}
	sum, err := hex.DecodeString(strings.TrimSpace(s))
	if err != nil || len(sum) != f.size {
		return Digest{}, fmt.Errorf("a digest by %s has %d hexadecimal digits", a, 2*f.size)
	}
	return Digest{a, sum}, nil
}

// A File is what a checksum file states about one file.
type File struct {
	Name    string   // as written, perhaps with directories; "" if the list names no file
	Size    int64    // bytes, -1 if unknown
	Digests []Digest // only of known algorithms, one by each
	Pieces  Pieces
	Sources []string // URIs, best first (Metalink)
}

// Pieces are the digests of consecutive parts of a file. The zero Pieces states nothing.
type Pieces struct {
	Algorithm Algorithm
	Length    int64 // of each piece but the last
	Sums      [][]byte
}

// Strongest returns the digest that is the hardest to forge. ok is false if there is none.
func (f *File) Strongest() (d Digest, ok bool) {
	if len(f.Digests) == 0 {
		return Digest{}, false
	}
	return slices.MaxFunc(f.Digests, func(a, b Digest) int {
		return a.Algorithm.function().strength - b.Algorithm.function().strength
	}), true
}

// IsWeak reports whether a forger can make another file that f describes: it has digests only by weak algorithms.
func (f *File) IsWeak() bool {
	d, ok := f.Strongest()
	return ok && d.Algorithm.IsWeak() || !ok && f.Pieces.Algorithm.IsWeak()
}

// Errors of Find.
var (
	ErrNoEntry   = errors.New("no checksum for that name")
	ErrAmbiguous = errors.New("several checksums for that name")
)

// Find returns the entry of list for the file at path, which is separated by slashes: the one whose name has the most segments in common with the
// end of path. A single entry without a name is for any file. Several entries of one name are one file by several algorithms. It returns ErrNoEntry
// or ErrAmbiguous if there is not exactly one.
func Find(list []File, path string) (*File, error) {
	if len(list) == 1 && list[0].Name == "" {
		return &list[0], nil
	}
	var found *File
	most, clash := 0, false
	for i := range list {
		n := commonEnd(list[i].Name, path)
		switch {
		case n > most:
			f := list[i]
			f.Digests = slices.Clone(f.Digests)
			found, most, clash = &f, n, false
		case n == 0 || n < most:
		case found.disagrees(&list[i]):
			clash = true
		default:
			found.add(list[i].Digests)
		}
	}
	switch {
	case found == nil:
		return nil, ErrNoEntry
	case clash:
		return nil, ErrAmbiguous
	}
	return found, nil
}

// add adds digests. The first one by each algorithm counts.
func (f *File) add(list []Digest) {
	for _, d := range list {
		if !slices.ContainsFunc(f.Digests, func(e Digest) bool { return e.Algorithm == d.Algorithm }) {
			f.Digests = append(f.Digests, d)
		}
	}
}

// disagrees reports whether f and g cannot describe the same file.
func (f *File) disagrees(g *File) bool {
	for _, d := range f.Digests {
		for _, e := range g.Digests {
			if d.Algorithm == e.Algorithm && !slices.Equal(d.Sum, e.Sum) {
				return true
			}
		}
	}
	return f.Name != g.Name
}

// commonEnd returns how many segments the ends of name and path have in common.
func commonEnd(name, path string) int {
	a, b := segments(name), segments(path)
	n := 0
	for n < len(a) && n < len(b) && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	return n
}

func segments(path string) []string {
	return strings.FieldsFunc(strings.TrimPrefix(path, "./"), func(r rune) bool { return r == '/' || r == '\\' })
}
