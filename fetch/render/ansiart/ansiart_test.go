package ansiart

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"unicode"
	"unicode/utf8"
)

// drawn returns the rows as lines of text.
func drawn(t testing.TB, text io.Reader, o *Options) string {
	t.Helper()
	var b strings.Builder
	for row, err := range Rows(text, o) {
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range row {
			if c.Rune != 0 {
				b.WriteString(string(c.Rune) + c.Marks)
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func TestRows(t *testing.T) {
	for in, want := range map[string]string{
		"":                         "",
		"a\r\nb\n\nc":              "a\nb\n\nc\n",
		"a\tb":                     "a       b\n",
		"ab\rc":                    "cb\n",
		"abc\x1b[2Dx\x1b[A\x1b[Cy": "axcy\n",
		"a\x1b[3;4Hb\x1b[Hc":       "c\n\n   b\n",
		"\x1b[s\x1b[2Bx\x1b[uy":    "y\n\nx\n",
		"abc\x1b[2D\x1b[Kd":        "ad\n",
		"old\nrow\x1b[2Jnew":       "old\nrow\nnew\n", // an erased screen is not lost
		"a\nb\x1b[H\x1b[Jc":        "c\n",
		"12345678901234":           "1234567890\n1234\n",
		"\x1b[99;99Hx":             strings.Repeat("\n", 98) + strings.Repeat(" ", 9) + "x\n",
		"\x1b[?7h\x1b[=3h\x1b[5na": "a\n",
		"\x1b]0;title\x07b":        "←]0;title•\nb\n",
		"\x1b[1\u00e9":             "é\n",
		"\x1b[":                    "",
		"\x1b":                     "←\n",
		"\x01\x02\x7f":             "☺☻⌂\n",
		"\u009b31m\u202ex":         "\ufffd31m\ufffdx\n",
		"漢字漢字漢字":                   "漢字漢字漢\n字\n",
		"漢\x1b[Dx":                 " x\n",
		"e\u0301x":                 "e\u0301x\n",
		"\x1b[41m  \x1b[0m  ":      "  \n", // colored blanks stay
		"a\x00b":                   "ab\n",
	} {
		if got := drawn(t, strings.NewReader(in), &Options{Columns: 10}); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
		if got := drawn(t, iotest.OneByteReader(strings.NewReader(in)), &Options{Columns: 10}); got != want {
			t.Errorf("%q byte by byte: got %q, want %q", in, got, want)
		}
	}
}

func TestColors(t *testing.T) {
	for in, want := range map[string]Style{
		"":                     {7, 0},
		"\x1b[31m":             {1, 0},
		"\x1b[1;31;44m":        {9, 4},
		"\x1b[1m\x1b[22;36m":   {6, 0},
		"\x1b[7m":              {0, 7},
		"\x1b[5;41m":           {7, 1},
		"\x1b[93;105m":         {11, 13},
		"\x1b[38;5;196m":       {1, 0},
		"\x1b[38;5;9;44m":      {9, 4},
		"\x1b[48;2;0;160;10m":  {7, 2},
		"\x1b[38;5m":           {7, 0},
		"\x1b[31;42m\x1b[m":    {7, 0},
		"\x1b[31;42m\x1b[;1m":  {15, 0},
		"\x1b[99999999999999m": {7, 0},
	} {
		for row := range Rows(strings.NewReader(in+"x"), nil) {
			if got := row[0].Style; got != want {
				t.Errorf("%q: got %v, want %v", in, got, want)
			}
		}
	}
	for row := range Rows(strings.NewReader("\x1b[5;41mx"), &Options{ICE: true}) {
		if got, want := row[0].Style, (Style{7, 9}); got != want {
			t.Errorf("with iCE colors: got %v, want %v", got, want)
		}
	}
}

func sauce(set func([]byte)) []byte {
	r := make([]byte, 128)
	copy(r, "SAUCE00Lake"+strings.Repeat(" ", 31)+"\x81ber")
	copy(r[62:], "group")
	copy(r[82:], "19960512")
	r[94], r[95], r[96], r[97], r[105] = 1, 1, 132, 0, 1
	copy(r[106:], "IBM VGA 866")
	if set != nil {
		set(r)
	}
	return r
}

func TestSauce(t *testing.T) {
	comment := append([]byte("COMNT"), make([]byte, 64)...)
	for name, file := range map[string][]byte{
		"with EOF":      append([]byte("art\x1a"), sauce(nil)...),
		"without EOF":   append([]byte("art"), sauce(nil)...),
		"with comments": bytes.Join([][]byte{[]byte("art"), comment, sauce(func(r []byte) { r[104] = 1 })}, nil),
	} {
		text, s := Cut(file)
		want := Sauce{"Lake", "über", "group", "1996-05-12", 132, true, "IBM VGA 866"}
		if string(text) != "art" || s == nil || *s != want {
			t.Errorf("%s: got %q and %+v, want art and %+v", name, text, s, want)
		}
	}
	for _, in := range []string{"", "art", "SAUCE", "SAUCE00" + strings.Repeat("x", 120)} {
		if text, s := Cut([]byte(in)); string(text) != in || s != nil {
			t.Errorf("%q: got %q and %v, want it unchanged", in, text, s)
		}
	}
	if text, s := Cut([]byte("a\x1ab")); string(text) != "a" || s != nil {
		t.Errorf("got %q and %v, want what stands before 0x1A", text, s)
	}
}

// A hostile text takes neither much time nor much memory.
func TestBounds(t *testing.T) {
	for name, piece := range map[string]string{
		"erases": "\x1b[2J", "moves": "\x1b[9999;9999Hx", "down": "\x1b[9999B", "lines": "\n", "marks": "\u0301", "digits": "\x1b[" + strings.Repeat("9", 1000),
		"parameters": "\x1b[" + strings.Repeat(";", 60) + "m",
	} {
		n, cells := 0, 0
		for row, err := range Rows(strings.NewReader(strings.Repeat(piece, 100_000/len(piece))), &Options{Columns: MaxColumns}) {
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range row {
				cells += 1 + len(c.Marks)
			}
			n++
		}
		if n > 101_000 || cells > 10_000_000 {
			t.Errorf("%s: got %d rows and %d cells of 100 kB, want fewer", name, n, cells)
		}
	}
}

func TestErrorAfterRows(t *testing.T) {
	broken := errors.New("broken")
	n := 0
	for row, err := range Rows(io.MultiReader(strings.NewReader("ab"), iotest.ErrReader(broken)), nil) {
		if n++; n == 1 && (len(row) != 2 || err != nil) || n == 2 && !errors.Is(err, broken) {
			t.Errorf("got %v, %v as number %d, want the row, then the error", row, err, n)
		}
	}
	if n != 2 {
		t.Errorf("got %d results, want 2", n)
	}
}

func FuzzRows(f *testing.F) {
	f.Add([]byte("\x1b[2J\x1b[1;31ma\x1b[5;5Hb\u0301漢\x1a"))
	f.Fuzz(func(t *testing.T, file []byte) {
		text, _ := Cut(file)
		for row, err := range Rows(bytes.NewReader(text), nil) {
			if err != nil {
				t.Fatal(err)
			}
			for i, c := range row {
				if unicode.IsControl(c.Rune) && (c.Rune != 0 || i == 0) || !utf8.ValidString(c.Marks) || c.Foreground > 15 || c.Background > 15 {
					t.Fatalf("got the cell %+v, want a character in one of 16 colors", c)
				}
			}
		}
	})
}
