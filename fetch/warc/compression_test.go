package warc_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// recordOfRFC returns a record. Those of different numbers have most of their bytes in common.
func recordOfRFC(i int) []byte {
	block := fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\nWhat is spoken today is RFC %d.\n", i)
	return fmt.Appendf(nil, "WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-%012d>\r\n"+
		"WARC-Date: 2024-05-01T00:00:00Z\r\nWARC-Target-URI: http://example.org/%d\r\n"+
		"Content-Type: application/http;msgtype=response\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n", i, i, len(block), block)
}

// dictionary is built once, since that takes much memory.
var dictionary = sync.OnceValues(func() ([]byte, error) {
	var samples [][]byte
	for i := range 50 {
		samples = append(samples, recordOfRFC(1000+i))
	}
	return zstd.BuildDict(zstd.BuildDictOptions{ID: 7, Contents: samples, History: samples[0], Offsets: [3]int{1, 4, 8}})
})

// withDictionary returns an archive as ArchiveTeam writes them: a skippable frame with a dictionary, and a frame for each record that needs
// it (IIPC, "WARC compression with Zstandard").
func withDictionary(t testing.TB, packed bool, n int) []byte {
	dict, err := dictionary()
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
		b = z.EncodeAll(recordOfRFC(i), b)
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
