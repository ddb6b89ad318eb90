package fetch_test

import (
	"slices"
	"strings"
	"testing"

	"example.org/deref/fetch"
)

// toyFrame decodes frames of a length in two bytes and a text.
func toyFrame(f fetch.Frame) (string, int) {
	if len(f.Data) < 2 {
		return "", 0
	}
	n := 2 + int(f.Data[0])<<16 + int(f.Data[1])
	switch {
	case f.Data[0] == 0xff:
		return "", -1
	case n > len(f.Data) && len(f.Data) < fetch.MaxFrame:
		return "", n
	case n > 100:
		return "long", n
	}
	return string(f.Data[2:n]), n
}

func TestFramer(t *testing.T) {
	long := "\x01\x00" + strings.Repeat("x", 1<<16)
	for _, x := range []struct {
		in   string
		want []string
	}{
		{"\x00\x02hi\x00\x00\x00\x03a\x1bb", []string{"hi", `a\x1bb`}},
		{"\x00\x05hal", nil},
		{"\x00\x02a\xff\x00\x02\xc3\xa4", []string{`a\xff`, "ä"}},
		{long + "\x00\x02hi", []string{"long", "hi"}}, // only the beginning of a long frame is kept
		{"\x00\x02hi\xff\x00\x00\x02hi", []string{"hi"}},
	} {
		for _, size := range []int{1, 3, len(x.in)} {
			if len(x.in) > 1000 && size == 1 {
				size = 1000
			}
			var f fetch.Framer
			var got []string
			for p := range slices.Chunk([]byte(x.in), size) {
				got = append(got, f.Decode(toyFrame, fetch.FromServer, p)...)
			}
			if !slices.Equal(got, x.want) {
				t.Errorf("%.30q in pieces of %d: got %q, want %q", x.in, size, got, x.want)
			}
		}
	}
}
