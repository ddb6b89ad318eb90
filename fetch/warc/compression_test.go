package warc_test

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"example.org/deref/fetch/fetchtest"
	"example.org/deref/fetch/warc"
	"github.com/klauspost/compress/zstd"
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

// withDictionary returns an archive as ArchiveTeam writes them: a skippable frame with a dictionary, and a frame for each record that needs
// it (IIPC, "WARC compression with Zstandard").
func withDictionary(t testing.TB, packed bool, n int) []byte {
	record := func(i int) []byte {
		block := fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\nWhat is spoken today is RFC %d.\n", i)
		return fmt.Appendf(nil, "WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-%012d>\r\n"+
			"WARC-Date: 2024-05-01T00:00:00Z\r\nWARC-Target-URI: http://example.org/%d\r\n"+
			"Content-Type: application/http;msgtype=response\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n", i, i, len(block), block)
	}
	var samples [][]byte
	for i := range 50 {
		samples = append(samples, record(1000+i))
	}
	dict, err := zstd.BuildDict(zstd.BuildDictOptions{ID: 7, Contents: samples, History: samples[0], Offsets: [3]int{1, 4, 8}})
	if err != nil {
		t.Fatal(err)
	}
	z, err := zstd.NewWriter(nil, zstd.WithEncoderDict(dict), zstd.WithEncoderConcurrency(1))
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	stored := dict
	if packed {
		plain, err := zstd.NewWriter(nil)
		if err != nil {
			t.Fatal(err)
		}
		defer plain.Close()
		stored = plain.EncodeAll(dict, nil)
	}
	b := binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(nil, 0x184D2A5D), uint32(len(stored)))
	b = append(b, stored...)
	for i := range n {
		b = z.EncodeAll(record(i), b)
	}
	return b
}

func TestZstdDictionary(t *testing.T) {
	t.Parallel()
	for _, packed := range []bool{false, true} {
		name := filepath.Join(t.TempDir(), "a.warc.zst")
		b := withDictionary(t, packed, 3)
		write(t, name, b)
		if bytes.Contains(b, []byte("example.org/2")) {
			t.Error("the records are not compressed")
		}
		if got := types(records(t, name)); got != "response response response" {
			t.Errorf("packed %t: got %s, want three responses", packed, got)
		}
		checked(t, name)
		c := readerOf(t, name)
		defer c.Close()
		for i := range 3 { // each is read by itself
			want := fmt.Sprintf("RFC %d.\n", i)
			if got, err := read(c, fmt.Sprintf("http://example.org/%d", i)); err != nil || !strings.HasSuffix(got, want) {
				t.Errorf("packed %t, %d: got %q, %v; want ending with %q", packed, i, got, err, want)
			}
		}
	}
}
