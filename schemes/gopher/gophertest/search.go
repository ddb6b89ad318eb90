package gophertest

import (
	"bytes"
	"io"
	"io/fs"
	"path"
	"strings"
)

// Limits of a search: the bytes to read of a file, and the items in the response.
const (
	maxSearched = 1 << 20
	maxFound    = 1000
)

// search returns the files whose name or text contains all the words, ignoring the case of ASCII letters (RFC 1436 section 3.7 leaves the
// meaning of the words to the server). Without words it returns none.
func (s *server) search(words string) []Item {
	want := strings.Fields(strings.ToLower(words))
	var items []Item
	if len(want) == 0 {
		return items
	}
	fs.WalkDir(s.fsys, ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil || len(items) >= maxFound || s.Net.Context().Err() != nil {
			return fs.SkipAll
		}
		if p == "." || !shown(path.Base(p)) {
			return nil
		}
		fi, err := fs.Stat(s.fsys, p)
		if err != nil || !s.matches(p, fi, want) {
			return nil
		}
		it := s.item(p, fi)
		it.Name = p
		items = append(items, it)
		return nil
	})
	return items
}

func (s *server) matches(p string, fi fs.FileInfo, want []string) bool {
	text := []byte(path.Base(p) + "\n")
	if fi.Mode().IsRegular() && searched(s.itemType(p, fi)) {
		text = append(text, s.head(p)...)
	}
	text = bytes.ToLower(text)
	for _, w := range want {
		if !bytes.Contains(text, []byte(w)) {
			return false
		}
	}
	return true
}

func searched(t byte) bool { return t == '0' || t == 'h' || t == 'M' }

// head returns the beginning of a file.
func (s *server) head(p string) []byte {
	f, err := s.fsys.Open(p)
	if err != nil {
		return nil
	}
	defer f.Close()
	b, _ := io.ReadAll(io.LimitReader(f, maxSearched))
	return b
}
