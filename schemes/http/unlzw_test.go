package http

import (
	"bytes"
	"errors"
	"io"
	"math/rand"
	"os/exec"
	"strings"
	"testing"
)

// compress encodes data as the program does: in groups of eight codes of one width, with a clear code when the table is full.
func compress(data []byte, most uint, block bool) []byte {
	flags := byte(most)
	first := 256
	if block {
		flags |= 0x80
		first = 257
	}
	out := []byte{0x1f, 0x9d, flags}
	var group []int
	width := uint(lzwMin)
	flush := func(last bool) {
		b := make([]byte, width)
		for i, code := range group {
			for k := range width {
				if code>>k&1 == 1 {
					at := uint(i)*width + k
					b[at/8] |= 1 << (at % 8)
				}
			}
		}
		if last {
			b = b[:(uint(len(group))*width+7)/8]
		}
		if len(group) > 0 {
			out = append(out, b...)
		}
		group = nil
	}
	table := map[string]int{}
	next, entries := first, 0 // entries follows the reader, which lags by one code
	put := func(code int) {
		if entries >= 1<<width && width < most {
			flush(false)
			width++
		}
		if group = append(group, code); len(group) == 8 {
			flush(false)
		}
	}
	entries = first - 1
	cur := ""
	code := func(s string) int {
		if len(s) == 1 {
			return int(s[0])
		}
		return table[s]
	}
	for _, b := range data {
		s := cur + string([]byte{b})
		if _, known := table[s]; known || len(s) == 1 {
			cur = s
			continue
		}
		put(code(cur))
		if entries < 1<<most {
			entries++
		}
		if next < 1<<most {
			table[s] = next
			next++
		} else if block {
			put(lzwClear)
			flush(false)
			table, next, entries, width = map[string]int{}, first, first-1, lzwMin
		}
		cur = string([]byte{b})
	}
	if cur != "" {
		put(code(cur))
	}
	flush(true)
	return out
}

func lzwSamples() map[string][]byte {
	r := rand.New(rand.NewSource(1))
	noise := make([]byte, 300_000)
	for i := range noise {
		noise[i] = byte(r.Intn(7) * r.Intn(30))
	}
	return map[string][]byte{
		"empty": nil, "one": []byte("a"), "same": bytes.Repeat([]byte("a"), 5000),
		"text": []byte(strings.Repeat("to be or not to be, ", 4000)), "noise": noise,
	}
}

func TestUnlzwRoundTrip(t *testing.T) {
	gzip, _ := exec.LookPath("gzip")
	for name, data := range lzwSamples() {
		for _, most := range []uint{9, 10, 12, 16} {
			for _, block := range []bool{true, false} {
				packed := compress(data, most, block)
				z, err := newUnlzw(bytes.NewReader(packed))
				if err != nil {
					t.Fatal(err)
				}
				if got, err := io.ReadAll(z); err != nil || !bytes.Equal(got, data) {
					t.Errorf("%s, %d bits, block %v: got %d bytes, %v, want %d", name, most, block, len(got), err, len(data))
				}
				if gzip == "" || len(data) == 0 || most == lzwMin {
					continue
				}
				cmd := exec.Command(gzip, "-dc") // an independent decoder
				cmd.Stdin = bytes.NewReader(packed)
				if got, err := cmd.Output(); err != nil || !bytes.Equal(got, data) {
					t.Errorf("gzip reads %s, %d bits, block %v: got %d bytes, %v, want %d", name, most, block, len(got), err, len(data))
				}
			}
		}
	}
}

func TestUnlzwRefuses(t *testing.T) {
	for _, c := range []struct {
		in   string
		want error
	}{
		{"", io.ErrUnexpectedEOF}, {"\x1f\x9d", io.ErrUnexpectedEOF}, {"\x1f\x8b\x90", errLZW}, {"\x1f\x9d\x91", errLZW},
		{"\x1f\x9d\x88", errLZW},
		{"\x1f\x9d\x90\xff\xff", errLZW}, {"\x1f\x9d\x90\x61", io.ErrUnexpectedEOF},
	} {
		z, err := newUnlzw(strings.NewReader(c.in))
		if err == nil {
			_, err = io.ReadAll(z)
		}
		if !errors.Is(err, c.want) {
			t.Errorf("%q: got %v, want %v", c.in, err, c.want)
		}
	}
}

func FuzzUnlzw(f *testing.F) {
	for _, data := range lzwSamples() {
		f.Add(compress(data[:min(len(data), 2000)], 12, true))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		z, err := newUnlzw(bytes.NewReader(b))
		if err != nil {
			return
		}
		n, err := io.Copy(io.Discard, io.LimitReader(z, 1<<22))
		if n > int64(len(b))*(1<<lzwMax) {
			t.Errorf("got %d bytes from %d, %v, want no more than a code can stand for", n, len(b), err)
		}
	})
}

func BenchmarkUnlzw(b *testing.B) {
	packed := compress(lzwSamples()["noise"], 16, true)
	b.ReportAllocs()
	b.SetBytes(300_000)
	for b.Loop() {
		z, _ := newUnlzw(bytes.NewReader(packed))
		io.Copy(io.Discard, z)
	}
}
