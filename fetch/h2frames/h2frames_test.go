package h2frames_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/http2/hpack"

	"example.org/deref/fetch/h2frames"
)

// read returns what r reads from pieces of b.
func read(t *testing.T, r *h2frames.Reader, b []byte, size int) (list []string, err error) {
	var all []byte
	for piece := range slices.Chunk(b, size) {
		r.Write(piece)
		frame, raw, failed := r.Next()
		for ; raw != nil; frame, raw, failed = r.Next() {
			all = append(all, raw...)
			list = append(list, fmt.Sprintf("%T", frame))
		}
		err = failed
	}
	if !bytes.HasPrefix(b, all) {
		t.Errorf("got the bytes %q, want the beginning of %q", all, b)
	}
	return list, err
}

// An endless frame or field block, and fields that are small only when compressed, end the reading.
func TestPromise6FramesAreBounded(t *testing.T) {
	for name, b := range map[string]string{
		"frame":  "\xff\xff\xff\x00\x00\x00\x00\x00\x01",
		"block":  "\x00\x00\x00\x01\x00\x00\x00\x00\x01" + strings.Repeat("\x00\x00\x00\x09\x00\x00\x00\x00\x01", 130000),
		"fields": "\x00\xff\xff\x01\x04\x00\x00\x00\x01\x88\x40\x01a\x7f\x81\x1e" + strings.Repeat("b", 3999) + strings.Repeat("\xbe", 61529),
	} {
		r := h2frames.NewReader(false, hpack.NewDecoder(4096, nil))
		if got, err := read(t, r, append([]byte(b), make([]byte, 2<<20)...), 64<<10); err == nil || len(got) > 1 {
			t.Errorf("%s: got %q, %v, want an error", name, got, err)
		}
		if n, _ := r.Write([]byte(b)); n > 0 {
			t.Errorf("%s: got %d bytes held after the error, want 0", name, n)
		}
	}
}

// FuzzReader checks that the frames do not depend on the pieces in which they arrive.
func FuzzReader(f *testing.F) {
	f.Add([]byte("\x00\x00\x02\x01\x08\x00\x00\x00\x01\x00\x88\x00\x00\x02\x09\x04\x00\x00\x00\x01"+
		"\x40\x01\x00\x00\x00\x00\x00\x00\x00\x00\x01"), 5, true)
	f.Add([]byte("\x00\x00\x03\x00\x09\x00\x00\x00\x01\x01a\x00\x00\x00\x01\x00\x08\x00\x00\x00\x01\x05"), 1, false)
	f.Fuzz(func(t *testing.T, b []byte, size int, decode bool) {
		all := func(size int) string {
			var fields *hpack.Decoder
			if decode {
				fields = hpack.NewDecoder(4096, nil)
			}
			return fmt.Sprint(read(t, h2frames.NewReader(false, fields), b, size))
		}
		if size = max(1, size); all(size) != all(len(b)+1) {
			t.Errorf("%q: got %s in pieces of %d, want %s", b, all(size), size, all(len(b)+1))
		}
	})
}
