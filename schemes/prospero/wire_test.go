package prospero_test

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"example.org/deref/fetch"
	"example.org/deref/schemes/prospero/internal/wire"
)

func TestWireHeaders(t *testing.T) {
	for _, c := range []struct {
		hex  string
		want wire.Header
		data string
	}{
		{"01", wire.Header{Number: 1, Total: 1, Length: 1}, ""},
		{"03123441", wire.Header{CID: 0x1234, Number: 1, Total: 1, Length: 3}, "A"},
		{"07123400020000", wire.Header{CID: 0x1234, Number: 2, Length: 7}, ""},
		{"0912340000000000044142", wire.Header{CID: 0x1234, Received: 4, Length: 9}, "AB"},
		{"0c123400040000000100008041", wire.Header{CID: 0x1234, Number: 4, Received: 1, Flags: wire.PleaseAck, Length: 12}, "A"},
		{"0f1234000100010000000008000010", wire.Header{CID: 0x1234, Number: 1, Total: 1, Flags: wire.WindowFollows, Window: 16, Length: 15}, ""},
		{"11000000010001000000000a00fffb001041", wire.Header{Number: 1, Total: 1, Flags: wire.PriorityFollows | wire.WindowFollows, Window: 16, Length: 17},
			"A"},
		{"0d123400000000000000000001", wire.Header{CID: 0x1234, Option: wire.Refused, Length: 13}, ""},
	} {
		b, _ := hex.DecodeString(c.hex)
		h, data, err := wire.Decode(b)
		if err != nil || fmt.Sprint(h) != fmt.Sprint(c.want) || string(data) != c.data {
			t.Errorf("%s: got %+v, %q, %v, want %+v, %q", c.hex, h, data, err, c.want, c.data)
		}
		if h.CID == 0 { // shorter or longer than what is written
			continue
		}
		if got := h.Encode(data); !bytes.Equal(got, b) {
			t.Errorf("%s was encoded as %x, want the same", c.hex, got)
		}
	}
	for _, bad := range []string{"", "00", "80", "43", "0312", "0d12340001000100000000080" + "0", "0c" + "12"} {
		b, _ := hex.DecodeString(bad)
		if _, _, err := wire.Decode(b); err == nil {
			t.Errorf("%s: got no error", bad)
		}
	}
}

// TestWireLines: half-quoted tokens as dirsrv sends them, double blanks, CR LF.
func TestWireLines(t *testing.T) {
	for in, want := range map[string]string{
		"LINK  L FILE it'''s.txt' X\n":  `[["LINK" "L" "FILE" "it's.txt" "X"]]`,
		"AFTP'/pub/papers/it''s.txt'\n": `[["AFTP/pub/papers/it's.txt"]]`,
		"A '' B\r\n\nC":                 `[["A" "" "B"] ["C"]]`,
		"A 'two\nlines'\nB":             `[["A" "two\nlines"] ["B"]]`,
		"A\tb\n":                        `[["A" "b"]]`,
		"":                              `[]`, "\n \n": `[]`, "''": `[[""]]`,
	} {
		s := wire.NewScanner(iotest.OneByteReader(strings.NewReader(in)), 1000)
		var got [][]string
		for {
			line, err := s.Line()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, line)
		}
		if fmt.Sprintf("%q", got) != want {
			t.Errorf("%q: %q, want %s", in, got, want)
		}
	}
}

// quoteError is the text of the error of a message that ends inside quotes.
const quoteError = "the reply ends within a quoted word"

func isQuoteError(err error) bool {
	e, ok := errors.AsType[*fetch.Error](err)
	return ok && e.Kind == fetch.ErrProtocol && e.Text == quoteError
}

func TestWireLineLimit(t *testing.T) {
	if _, err := wire.NewScanner(strings.NewReader(strings.Repeat("x", 100)), 50).Line(); err == nil {
		t.Error("a line above the limit: got no error")
	}
	if list, err := wire.NewScanner(strings.NewReader("ERROR it's bad"), 50).Line(); !isQuoteError(err) || len(list) != 2 {
		t.Errorf("an apostrophe: got %q, %v, want 2 tokens, %v", list, err, quoteError)
	}
}

func TestWireValue(t *testing.T) {
	for in, want := range map[string]string{"DATA 'a\n''b'\n": "a\n'b", "DATA\t'x'y'z'": "xyz", "DATA ''\n": "", "DATA 'a'\nMORE x\n": "a"} {
		s := wire.NewScanner(strings.NewReader(in), 1000)
		if _, err := s.LineUntil(func(l []string) bool { return len(l) == 1 }); err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(s.Value())
		if err != nil || string(got) != want {
			t.Errorf("%q: got %q, %v, want %q", in, got, err, want)
		}
	}
	s := wire.NewScanner(strings.NewReader("D 'abc"), 1000)
	s.LineUntil(func(l []string) bool { return true })
	if _, err := io.ReadAll(s.Value()); !isQuoteError(err) {
		t.Errorf("got %v, want %v", err, quoteError)
	}
}

func TestWireQuote(t *testing.T) {
	for in, want := range map[string]string{"": "''", "AFTP/pub/a-b.txt": "AFTP/pub/a-b.txt", "two words": "'two words'", "it's": "'it''s'",
		"a\nb": "'a\nb'", "é": "'é'"} {
		if got := wire.Quote(in); got != want {
			t.Errorf("%q: %s, want %s", in, got, want)
		}
	}
}

// FuzzWireHeader checks that a parsed header is encoded in the same way.
func FuzzWireHeader(f *testing.F) {
	f.Add([]byte{3, 1, 2, 'x'})
	f.Add([]byte("\x0f\x124\x00\x01\x00\x01\x00\x00\x00\x00\x08\x00\x00\x10x"))
	f.Fuzz(func(t *testing.T, b []byte) {
		h, data, err := wire.Decode(b)
		if err != nil || h.Length > 13 || h.Length < 3 {
			return
		}
		g, again, err := wire.Decode(h.Encode(data))
		if err != nil || !bytes.Equal(data, again) {
			t.Fatalf("%x: got %q, %v, want %q", b, again, err, data)
		}
		g.Length = h.Length
		if fmt.Sprint(g) != fmt.Sprint(h) {
			t.Fatalf("%+v became %+v when encoded and parsed", h, g)
		}
	})
}

// FuzzWireScanner checks that a quoted token is parsed as the same token, that quoting the tokens of a line gives the same line, and that
// nothing panics.
func FuzzWireScanner(f *testing.F) {
	f.Add("LINK  L FILE it'''s.txt' X\nA 'b")
	f.Fuzz(func(t *testing.T, in string) {
		if line, err := wire.NewScanner(strings.NewReader(wire.Quote(in)), len(in)*2+10).Line(); err != nil || len(line) != 1 || line[0] != in {
			t.Fatalf("%q was read back as %q, %v", in, line, err)
		}
		s := wire.NewScanner(strings.NewReader(in), len(in)+2)
		for {
			line, err := s.Line()
			if err != nil {
				return
			}
			var quoted strings.Builder
			for _, w := range line {
				quoted.WriteString(wire.Quote(w) + " ")
			}
			again := quoted.String()
			if got, err := wire.NewScanner(strings.NewReader(again), 2*len(again)+2).Line(); err != nil || fmt.Sprint(got) != fmt.Sprint(line) {
				t.Fatalf("%q was read back as %q, %v", line, got, err)
			}
		}
	})
}
