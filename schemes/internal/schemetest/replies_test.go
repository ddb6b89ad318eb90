package schemetest_test

import (
	"bytes"
	"strings"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/schemes/internal/frames"
	"example.org/deref/schemes/internal/replies"
	"example.org/deref/schemes/internal/urifield"
)

const replyTable replies.Table = `2xx                the document
404, 410           notfound
other 4xx, NOPERM  refused: the user may not
no status line     protocol
`

func TestReplyKind(t *testing.T) {
	for _, tt := range []struct {
		code  string
		want  fetch.Kind
		found bool
	}{
		{"200", "", true},
		{"404", fetch.ErrNotFound, true},
		{"410", fetch.ErrNotFound, true},
		{"499", fetch.ErrRefused, true},
		{"NOPERM", fetch.ErrRefused, true},
		{"NO", "", false},
		{"4a0", "", false},
		{"4xx", "", false},
		{"20", "", false},
		{"500", "", false},
		{"", "", false},
	} {
		if got, found := replyTable.Kind(tt.code); got != tt.want || found != tt.found {
			t.Errorf("%q: got %q, %v, want %q, %v", tt.code, got, found, tt.want, tt.found)
		}
	}
}

// The texts are those of real servers.
func TestSaysNotFound(t *testing.T) {
	for text, want := range map[string]bool{
		"/x: No such file or directory":           true,  // proftpd
		"Can't open x: No such file or directory": true,  // pure-ftpd
		"File or directory not found!":            true,  // gophernicus
		"'/x' does not exist (no handler found)":  true,  // pygopherd
		"Failed to change directory.":             false, // vsftpd
		"Failed to open file.":                    false,
		"Could not get file size.":                false,
		"Can't check for file existence":          false, // pure-ftpd
		"Server too busy":                         false,
		"Permission denied":                       false,
		"":                                        false,
	} {
		if got := replies.SaysNotFound(text); got != want {
			t.Errorf("%q: got %t, want %t", text, got, want)
		}
	}
}

func TestURIFieldOptTellsAbsentFromVoid(t *testing.T) {
	if urifield.Opt("", false) != nil {
		t.Error("absent: got a pointer, want nil")
	}
	if p := urifield.Opt("", true); p == nil || *p != "" {
		t.Errorf("empty: got %v, want a pointer to \"\"", p)
	}
}

func TestURIFieldMapLeavesAbsentFieldsAlone(t *testing.T) {
	s, absent := "a", (*string)(nil)
	urifield.Map(strings.ToUpper, &s, nil)
	urifield.MapOpt(strings.ToUpper, &absent)
	if s != "A" || absent != nil {
		t.Errorf("got %q, %v, want A, nil", s, absent)
	}
	shared := "b"
	p := &shared
	urifield.MapOpt(strings.ToUpper, &p)
	if *p != "B" || shared != "b" {
		t.Errorf("got %q, old value %q, want B, b", *p, shared)
	}
	if got := urifield.MapAll(strings.ToUpper, []string(nil)); got == nil {
		t.Error("got nil, want an empty list")
	}
}

func TestURIFieldDigits(t *testing.T) {
	for _, c := range []struct {
		in string
		n  int
		ok bool
	}{{"0", 0, true}, {"042", 42, true}, {"999999999", 999999999, true}, {"1000000000", 0, false}, {"", 0, false}, {"-1", 0, false},
		{"1a", 0, false}} {
		if n, ok := urifield.Digits(c.in); n != c.n || ok != c.ok {
			t.Errorf("Digits(%q) = %d, %v, want %d, %v", c.in, n, ok, c.n, c.ok)
		}
	}
}

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
