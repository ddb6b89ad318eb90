package wais

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"example.org/deref/schemes/wais/internal/z3950"
)

// readAll reads frames, each on a line, up to the end or an error.
func readAll(r io.Reader) (string, error) {
	var b strings.Builder
	in := z3950.NewReader(r, 1000)
	for {
		_, apdu, err := in.Next()
		if err == io.EOF {
			return b.String(), nil
		}
		if err != nil {
			return b.String(), err
		}
		fmt.Fprintf(&b, "%q\n", apdu)
	}
}

// slow returns a few bytes at a time.
type slow struct {
	rest  []byte
	piece int
}

func (s *slow) Read(p []byte) (int, error) {
	if len(s.rest) == 0 {
		return 0, io.EOF
	}
	n := copy(p[:min(len(p), s.piece)], s.rest)
	s.rest = s.rest[n:]
	return n, nil
}

func TestZ3950Frames(t *testing.T) {
	plain := "z2wais        0"
	for _, c := range []struct{ name, in, want, err string }{
		{"nothing", "", "", ""},
		{"two", "0000000003" + plain + "abc" + "0000000000" + plain, "\"abc\"\n\"\"\n", ""},
		{"capitals, version 1", "0000000001" + "Z1WAIS        0" + "a", "\"a\"\n", ""},
		{"version blank", "0000000001" + "z wais        0" + "a", "\"a\"\n", ""},
		{"noise", "Welcome!\r\n" + "0000000001" + plain + "a", "\"a\"\n", ""},
		{"noise with zeros", "200 ok 0\r\n" + "0000000001" + plain + "a", "\"a\"\n", ""},
		{"noise between", "0000000001" + plain + "a\r\n" + "0000000001" + plain + "b", "\"a\"\n\"b\"\n", ""},
		{"endless noise", strings.Repeat("x", 200), "", "no header within 64 bytes"},
		{"endless zeros", strings.Repeat("0", 200), "", "no header within 64 bytes"},
		{"too long", "0000001001" + plain, "", "a frame of 1001 bytes"},
		{"longest", "9999999999" + plain, "", "a frame of 9999999999 bytes"},
		{"cut header", "0000000003z2wa", "", io.ErrUnexpectedEOF.Error()},
		{"cut frame", "0000000003" + plain + "ab", "", io.ErrUnexpectedEOF.Error()},
		{"compressed", "0000000001" + "z2wais      u 0" + "a", "", "an unrequested compressed frame ('u')"},
		{"encoded", "0000000001" + "z2wais       h0" + "a", "", "an unrequested encoded frame ('h')"},
		{"acknowledgement", "0000000000" + "a2wais        0", "", "a frame of type 'a', not of Z39.50"},
		{"version 3", "0000000000" + "z3wais        0", "", "a header of version '3'"},
	} {
		got, err := readAll(strings.NewReader(c.in))
		text := ""
		if err != nil {
			text = err.Error()
		}
		if got != c.want || text != c.err {
			t.Errorf("%s: got %q %q, want %q %q", c.name, got, text, c.want, c.err)
		}
	}
}

// TestZ3950Lengths: every length is checked against the element that contains it.
func TestZ3950Lengths(t *testing.T) {
	response := func(user string) string { return "\x00\x0b\x17" + strings.Repeat("\x00", 10) + user }
	for name, apdu := range map[string]string{
		"no APDU":                       "\x00",
		"APDU without type":             "\x00\x00\x17",
		"APDU longer than its frame":    "\x00\x0c\x17" + strings.Repeat("\x00", 10),
		"another APDU":                  "\x00\x0b\x16" + strings.Repeat("\x00", 10),
		"fixed part cut":                "\x00\x05\x17\x00\x00\x00\x00",
		"element without length":        "\x00\x0c\x17" + strings.Repeat("\x00", 10) + "\x1b",
		"element longer than the APDU":  "\x00\x0d\x17" + strings.Repeat("\x00", 10) + "\x1b\x05" + "abcde",
		"endless integer":               response(strings.Repeat("\x81", 4000)),
		"user information cut":          response("\x63\x05abc"),
		"record longer than its holder": response("\x63\x04\x81\x16\x02a"),
		"element of a record":           response("\x63\x05\x81\x16\x02\x74\x05"),
		"type longer than its block":    response("\x63\x09\x81\x16\x06\x81\x04\x03\x81\x05\x09"),
		"number of five octets":         response("\x63\x0a\x81\x16\x07\x76\x05abcde"),
		"number of none":                response("\x63\x05\x81\x16\x02\x76\x00"),
		"diagnostic without length":     response("\x63\x02\x1c\x00"),
		"diagnostic of two octets":      response("\x63\x05\x1c\x00\x02S1"),
		"diagnostic longer than all":    response("\x63\x06\x1c\x00\x09S1a"),
	} {
		_, err := z3950.ParseResponse([]byte(apdu))
		if m := z3950.Malformed(""); !errors.As(err, &m) {
			t.Errorf("%s: got %v, want Malformed", name, err)
		}
	}
}

// TestZ3950OfOtherServers: frames that freeWAIS never sends, but other servers may.
func TestZ3950OfOtherServers(t *testing.T) {
	fixed := "\x17" + strings.Repeat("\x00", 10)
	records := "\x73\x03a b" + // seed words used
		"\x81\x18\x0e\x74\x01D\x76\x04\xff\xff\xff\xff\x81\x03\x02\x01\x00" + // a long header: no score, 256 lines
		"\x81\x1a\x03\x74\x01H" + "\x81\x1b\x06\x74\x01C\x81\x00\x00" + // headline and code groups
		"\x81\x7f\x02zz" + // an unknown record
		"\x1c\x00\x03S2\x00" // a diagnostic without its end
	r, err := z3950.ParseResponse([]byte("\x00\x0f" + fixed + "\x7e\x02xx" + // an unknown element of the APDU
		"\x0b\x01y" + // another element of the user information
		"\x63" + "\x80" + string(z3950.AppendInt(nil, len(records))) + records)) // a length with padding
	if err != nil {
		t.Fatal(err)
	}
	if r.SeedWords != "a b" || len(r.Hits) != 3 || r.Hits[0].DocID != "D" || r.Hits[0].Score != -1 || r.Hits[0].Lines != 256 ||
		r.Hits[2].DocID != "C" {
		t.Errorf("got %+v, want 3 hits", r)
	}
	if len(r.Diagnostics) != 1 || r.Diagnostics[0] != (z3950.Diagnostic{Code: "S2"}) {
		t.Errorf("got %+v, want only S2", r.Diagnostics)
	}
}

func TestCompressedIntegers(t *testing.T) {
	for n, want := range map[int]string{0: "\x00", 99: "\x63", 127: "\x7f", 128: "\x81\x00", 133: "\x81\x05", 150: "\x81\x16",
		16384: "\x81\x80\x00", 1<<31 - 1: "\x87\xff\xff\xff\x7f"} {
		got := string(z3950.AppendInt(nil, n))
		if got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
		if m, rest, ok := z3950.ReadInt([]byte(got + "x")); m != n || string(rest) != "x" || !ok {
			t.Errorf("ReadInt(%q) = %d, %q, %v, want %d, x", got+"x", m, rest, ok, n)
		}
	}
	if n, _, ok := z3950.ReadInt([]byte("\x80\x80\x05")); n != 5 || !ok {
		t.Errorf("with padding: got %d, %v, want 5", n, ok)
	}
	for _, bad := range []string{"", "\x81", "\x88\x80\x80\x80\x00", "\x81\x81\x81\x81\x81\x01"} {
		if _, _, ok := z3950.ReadInt([]byte(bad)); ok {
			t.Errorf("ReadInt(%q): got no error", bad)
		}
	}
}
