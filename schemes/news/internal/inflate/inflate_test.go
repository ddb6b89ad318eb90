package inflate

import (
	"bytes"
	"compress/flate"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"
)

func deflate(t testing.TB, in []byte, level int) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := flate.NewWriter(&b, level)
	if err != nil {
		t.Fatal(err)
	}
	w.Write(in[:len(in)/2])
	w.Flush()
	w.Write(in[len(in)/2:])
	w.Close()
	return b.Bytes()
}

func samples() [][]byte {
	r := rand.New(rand.NewPCG(1, 2))
	noise := make([]byte, 200_000)
	for i := range noise {
		noise[i] = byte(r.Uint32())
	}
	return [][]byte{nil, []byte("a"), []byte(strings.Repeat("a", 100_000)), noise,
		[]byte(strings.Repeat("the quick brown fox jumps over the lazy dog\r\n", 5000)),
		append(append([]byte("begin"), noise[:40_000]...), "begin"...)}
}

func TestAgainstTheStandardLibrary(t *testing.T) {
	for i, in := range samples() {
		for _, level := range []int{flate.HuffmanOnly, flate.NoCompression, flate.BestSpeed, flate.DefaultCompression, flate.BestCompression} {
			p := deflate(t, in, level)
			for _, r := range []io.Reader{bytes.NewReader(p), iotest.OneByteReader(bytes.NewReader(p))} {
				got, err := io.ReadAll(NewReader(r))
				if err != nil || !bytes.Equal(got, in) {
					t.Errorf("sample %d, level %d: got %v, %d bytes, want %d", i, level, err, len(got), len(in))
				}
			}
			if got, err := io.ReadAll(NewReader(bytes.NewReader(p[:len(p)-1]))); err != io.ErrUnexpectedEOF {
				t.Errorf("sample %d, level %d, cut: got %v, %d bytes, want %v", i, level, err, len(got), io.ErrUnexpectedEOF)
			}
		}
	}
}

// TestPartialFlush checks what INN 2.7.1 sends after 206 for GROUP (seen): a block, and an empty one of fixed codes.
func TestPartialFlush(t *testing.T) {
	r, w := io.Pipe()
	defer r.Close()
	go w.Write([]byte("224T0U\x00\xe1\x9c\xc4$\xbd\xfc\xbcT^.\x80\x00"))
	z := NewReader(r)
	var got []byte
	p := make([]byte, 100)
	for !bytes.HasSuffix(got, []byte("\n")) {
		n, err := z.Read(p)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, p[:n]...)
	}
	if want := "211 5 1 5 lab.one\r\n"; string(got) != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// FuzzInflate checks that data and errors are the same as those of the standard library.
func FuzzInflate(f *testing.F) {
	for _, in := range samples() {
		f.Add(deflate(f, in[:min(len(in), 1000)], flate.DefaultCompression))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		const most = 1 << 20
		want, err1 := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(in)), most))
		got, err2 := io.ReadAll(io.LimitReader(NewReader(bytes.NewReader(in)), most))
		if err1 == nil && (err2 != nil || !bytes.Equal(got, want)) {
			t.Fatalf("got %v, %d bytes, want %d bytes", err2, len(got), len(want))
		}
		if err1 != nil && !bytes.HasPrefix(got, want) && !bytes.HasPrefix(want, got) {
			t.Fatalf("got %q, want a common beginning with %q", got, want)
		}
	})
}

// BenchmarkInflate compares with compress/flate, which this package replaces although it is faster: see the package comment.
func BenchmarkInflate(b *testing.B) {
	in := samples()[4]
	p := deflate(b, in, flate.DefaultCompression)
	for name, open := range map[string]func(io.Reader) io.Reader{
		"inflate": func(r io.Reader) io.Reader { return NewReader(r) },
		"flate":   func(r io.Reader) io.Reader { return flate.NewReader(r) },
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(in)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := io.Copy(io.Discard, open(bytes.NewReader(p))); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
