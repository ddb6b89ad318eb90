package warc_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"runtime"
	"testing"

	"example.org/deref/fetch/fetchtest"
	"example.org/deref/fetch/warc"
	"example.org/deref/uri"
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

// The goroutine that digests a long document ends with its request: at the end of the document, if the request is canceled, and if the
// Body is closed early. The truncated record is valid.
func TestDigestsEndWithTheirRequest(t *testing.T) {
	before := runtime.NumGoroutine()
	stay := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", "4000000")
		w.Write(make([]byte, 2000000))
		if r.URL.Path == "/whole" {
			w.Write(make([]byte, 2000000))
			return
		}
		w.(http.Flusher).Flush()
		<-stay
	}))
	name := filepath.Join(t.TempDir(), "a.warc")
	w, c := recorderOf(t, name, nil)
	for _, path := range []string{"/whole", "/canceled", "/closed"} {
		ctx, cancel := context.WithCancel(t.Context())
		d, err := c.Get(ctx, uri.MustParse(s.URL+path), nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.CopyN(io.Discard, d.Body, 1500000); err != nil {
			t.Error(err)
		}
		switch path {
		case "/whole":
			io.Copy(io.Discard, d.Body)
		case "/canceled":
			cancel()
			io.Copy(io.Discard, d.Body)
		}
		d.Body.Close()
		cancel()
	}
	c.Close()
	if err := w.Close(); err != nil {
		t.Error(err)
	}
	close(stay)
	s.Close()
	fetchtest.NoGoroutinesLeft(t, before)
	checked(t, name)
	if got := types(records(t, name)); got != "warcinfo response request response request metadata response request metadata" {
		t.Errorf("got %s, want three exchanges, two with a failure", got)
	}
}
