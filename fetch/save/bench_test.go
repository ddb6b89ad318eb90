package save_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"example.org/deref/fetch/save"
	"example.org/deref/uri"
)

// BenchmarkSmallDocument writes new files: replacing one costs a flush where the file system is ext4 (auto_da_alloc).
func BenchmarkSmallDocument(b *testing.B) {
	f, dir := tempDir(b)
	s := newSite(map[string]*object{"/x": {data: octets(2<<10, 'a')}})
	c := s.client(b)
	u := uri.MustParse("test://h/x")
	b.ReportAllocs()
	for b.Loop() {
		s.asked = s.asked[:0]
		if _, err := save.File(context.Background(), c, u, nil, &save.Options{Dir: f}); err != nil {
			b.Fatal(err)
		}
		os.Remove(filepath.Join(dir, "x"))
	}
}
