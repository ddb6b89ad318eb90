package schemetest_test

import (
	"bytes"
	"strings"
	"testing"

	"example.org/deref/schemes/internal/frames"
)

func TestFramesNext(t *testing.T) {
	for _, x := range []struct {
		in, contents, rest string
		size               int
		ok                 bool
	}{
		{"", "", "", 0, false},
		{"\x1f\x00", "", "", 0, false},    // a tag of several bytes
		{"\x30\x80", "", "", 0, false},    // an indefinite length
		{"\x30", "", "", 0, true},         // its length is still to come
		{"\x30\x82\x01", "", "", 0, true}, // as well
		{"\x02\x01\x05x", "\x05", "x", 3, true},
		{"\x04\x81\x02ab", "ab", "", 5, true},
		{"\x04\x05ab", "ab", "", 7, true}, // only its beginning
		{"\x04\x84\xff\xff\xff\xffab", "ab", "", 1<<31 - 10, true},
	} {
		e, rest, ok := frames.Next([]byte(x.in))
		if ok != x.ok || e.Size != x.size || string(e.Contents) != x.contents || string(rest) != x.rest {
			t.Errorf("Next(%q): got %+v %q %v, want %q %q %d %v", x.in, e, rest, ok, x.contents, x.rest, x.size, x.ok)
		}
	}
}

func TestFramesReader(t *testing.T) {
	for _, x := range []struct {
		in       string
		contents string
		bad      bool
	}{
		{"\x30\x05\x02\x01\x05\x04\x00", "\x05", false},
		{"\x30\x05\x04\x01\x05\x04\x00", "\x05", true}, // another tag
		{"\x30\x06\x02\x01\x05\x04\x00", "\x05", true}, // longer than what is there
		{"\x30\x02\x02\x01\x05\x04\x00", "", true},     // longer than what contains it
		{"\x30\x00\x02\x01\x05", "", true},
		{"\x30\x80\x02\x01\x05", "", true},
		{"", "", true},
	} {
		r := frames.Reader{Rest: []byte(x.in)}
		r.Enter()
		if got := r.Take(frames.Integer); string(got) != x.contents || r.Bad != x.bad {
			t.Errorf("%q: got %q, bad %v, want %q, %v", x.in, got, r.Bad, x.contents, x.bad)
		}
	}
}

func FuzzFramesNext(f *testing.F) {
	f.Add([]byte("\x30\x05\x02\x01\x05\x04\x00"))
	f.Fuzz(func(t *testing.T, b []byte) {
		e, rest, ok := frames.Next(b)
		if ok && e.Size > 0 && !bytes.HasSuffix(b, append(bytes.Clone(e.Contents), rest...)) {
			t.Errorf("Next(%q): got %q and %q, which are not its end", b, e.Contents, rest)
		}
		e.Int()
	})
}

func TestFramesQuote(t *testing.T) {
	for _, x := range []struct{ value, want string }{
		{"", `""`}, {"a\r\n\x1b[2J\xff", `"a\r\n\x1b[2J\xff"`},
		{strings.Repeat("ä", 40), `"` + strings.Repeat("ä", 30) + `"... (80 bytes)`},
		{"x" + strings.Repeat("ä", 40), `"x` + strings.Repeat("ä", 29) + `"... (81 bytes)`},
	} {
		if got := frames.Quote(x.value); got != x.want {
			t.Errorf("Quote(%q): got %s, want %s", x.value, got, x.want)
		}
	}
}
