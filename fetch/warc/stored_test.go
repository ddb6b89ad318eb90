package warc

import (
	"fmt"
	"os"
	"testing"
)

// All payloads are found, those in memory and those in the files, of which nothing is left.
func TestStoredPayloads(t *testing.T) {
	t.Parallel()
	n := 140_000
	if testing.Short() {
		n = 5000
	}
	dir := t.TempDir()
	var s storedPayloads
	s.at.Dir, s.entries.dir = dir, dir
	defer s.close()
	copyOf := func(i int) storedCopy {
		return storedCopy{fmt.Sprintf("<urn:%d>", i), "http://h/", "2026-01-01T00:00:00Z"}
	}
	for i := range n {
		s.add(payloadKey{keyOf(i), i%2 == 0}, copyOf(i))
	}
	for i := 0; i < n; i += 1 + n/500 {
		if got, ok := s.lookup(payloadDigest{keyOf(i), 1}, true); got != copyOf(i) || !ok {
			t.Fatalf("payload %d: got %+v, %t, want %+v", i, got, ok, copyOf(i))
		}
		if _, ok := s.lookup(payloadDigest{keyOf(i), 1}, false); ok != (i%2 == 1) {
			t.Errorf("payload %d, not in HTTP: got %t, want %t", i, ok, i%2 == 1)
		}
	}
	if _, ok := s.lookup(payloadDigest{keyOf(n), 1}, true); ok {
		t.Error("got a payload that is not stored")
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("got %v, %v in the directory, want nothing", left, err)
	}
}
