package warc_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"math/rand/v2"
	"runtime"
	"testing"

	"example.org/deref/fetch/fetchtest"
	"example.org/deref/fetch/warc"
)

// A member that several cores compress is one gzip member with the same content, whatever its length.
func TestParallelGzip(t *testing.T) {
	text := []byte(sources())
	for _, n := range []int{0, 1, warc.GzipPieceSize - 1, warc.GzipPieceSize, warc.GzipPieceSize + 1, 4*warc.GzipPieceSize + 7} {
		want := bytes.Repeat(text, n/len(text)+1)[:n]
		var b bytes.Buffer
		w := warc.ParallelGzip(&b)
		for rest := want; len(rest) > 0; {
			k := min(len(rest), 1+rand.N(2*warc.GzipPieceSize))
			w.Write(rest[:k])
			rest = rest[k:]
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		b.WriteString("next")
		r, err := gzip.NewReader(&b)
		if err != nil {
			t.Fatal(err)
		}
		r.Multistream(false)
		got, err := io.ReadAll(r) // it verifies the sum and the length
		if err != nil || !bytes.Equal(got, want) || b.String() != "next" {
			t.Errorf("%d bytes: got %d bytes, %v, %d bytes after it; want the same bytes, nil and 4", n, len(got), err, b.Len())
		}
	}
}

// errFull is the error of a fullWriter.
var errFull = errors.New("no space left")

// A fullWriter accepts a number of bytes.
type fullWriter struct{ left int }

func (w *fullWriter) Write(p []byte) (int, error) {
	n := min(len(p), w.left)
	if w.left -= n; n < len(p) {
		return n, errFull
	}
	return n, nil
}

// Wherever the disk is full, Close returns that error after all goroutines have ended.
func TestParallelGzipFullDisk(t *testing.T) {
	before := runtime.NumGoroutine()
	piece := make([]byte, warc.GzipPieceSize)
	rand.NewChaCha8([32]byte{}).Read(piece) // does not get shorter
	for _, room := range []int{0, 10, 300 << 10} {
		w := warc.ParallelGzip(&fullWriter{room})
		for range 4 {
			w.Write(piece)
		}
		if err := w.Close(); !errors.Is(err, errFull) {
			t.Errorf("room for %d bytes: got %v, want %v", room, err, errFull)
		}
	}
	fetchtest.NoGoroutinesLeft(t, before)
}
