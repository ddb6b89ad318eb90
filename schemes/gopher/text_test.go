package gopher

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"example.org/deref/fetch"
	"example.org/deref/fetch/pieces"
	"example.org/deref/schemes/internal/lineproto"
)

func textOf(r io.Reader, maxLine int) *textBody {
	x := &textBody{src: r, doc: &fetch.Document{}, maxLine: maxLine, bol: true, held: -1}
	x.Reader = pieces.NewReader(x.next)
	return x
}

func TestClosingDot(t *testing.T) {
	for _, tt := range []struct {
		name, in, want string
		terminated     bool
	}{
		{"stuffed", "a\r\n..\r\n..b\r\n.\r\n", "a\r\n.\r\n.b\r\n", true},
		{"not terminated, as from real servers", "a\r\n..\r\n..b\r\n", "a\r\n..\r\n..b\r\n", false},
		{"lone dots within", "a\r\n.\r\nb\r\n.\r\nc\r\n", "a\r\n.\r\nb\r\n.\r\nc\r\n", false},
		{"lone dots within, and the end", "a\r\n.\r\n..b\r\n.\r\n", "a\r\n.\r\n..b\r\n", true}, // nothing is stuffed
		{"a line of a dot and more shows the same", "..a\r\n.b\r\n.\r\n", "..a\r\n.b\r\n", true},
		{"two ends", "a\r\n.\r\n.\r\n", "a\r\n.\r\n", true},
		{"LF alone", "a\n..b\n.\n", "a\n.b\n", true},
		{"without its line end", "a\r\n.", "a\r\n", false},
		{"half a line end", "a\r\n.\r", "a\r\n", false},
		{"nothing but the end", ".\r\n", "", true},
		{"no line before it", "a.\r\n", "a.\r\n", false},
		{"dots elsewhere", "a.\r\nb..\r\n.. .\r\n", "a.\r\nb..\r\n.. .\r\n", false},
		{"only dots", "...\r\n.\r\n", "..\r\n", true},
		{"a space after the dot", "a\r\n. \r\n", "a\r\n. \r\n", false},
	} {
		readers := map[string]io.Reader{"at once": strings.NewReader(tt.in), "by bytes": iotest.OneByteReader(strings.NewReader(tt.in))}
		for name, r := range readers {
			x := textOf(r, 0)
			got, err := io.ReadAll(x)
			if string(got) != tt.want || err != nil || (x.doc.End == fetch.EndTerminated) != tt.terminated {
				t.Errorf("%s, %s: got %q, %v, end %q, want %q, terminated %v", tt.name, name, got, err, x.doc.End, tt.want, tt.terminated)
			}
		}
	}
}

func TestErrorsDoNotEndTexts(t *testing.T) {
	broken := errors.New("broken")
	x := textOf(io.MultiReader(strings.NewReader("a\r\n..b\r\n.\r\n"), iotest.ErrReader(broken)), 0)
	got, err := io.ReadAll(x)
	if string(got) != "a\r\n..b\r\n.\r\n" || err != broken || x.doc.End == fetch.EndTerminated {
		t.Errorf("got %q, %v, end %q, want the text unchanged, %v", got, err, x.doc.End, broken)
	}
}

func TestEndlessLine(t *testing.T) {
	x := textOf(io.MultiReader(strings.NewReader(strings.Repeat("short\n", 100)), strings.NewReader(strings.Repeat("x", 1000))), 100)
	if _, err := io.ReadAll(x); !errors.Is(err, fetch.ErrLimit) {
		t.Errorf("got %v, want limit", err)
	}
}

// TestHoldingIsBounded checks that a text that is undecided for too long is returned unchanged. If the end then shows that this was wrong,
// it is an error.
func TestHoldingIsBounded(t *testing.T) {
	long := "..a\n" + strings.Repeat(strings.Repeat("x", 99)+"\n", maxHeld/100+10)
	if got, err := io.ReadAll(textOf(strings.NewReader(long), 0)); err != nil || string(got) != long {
		t.Errorf("without the last line: got %d bytes, %v, want %d", len(got), err, len(long))
	}
	x := textOf(strings.NewReader(long+".\n"), 0)
	if _, err := io.ReadAll(x); !errors.Is(err, fetch.ErrLimit) || cap(x.buf) > 4*maxHeld {
		t.Errorf("with it: got %v, buffer %d, want %s, buffer at most %d", err, cap(x.buf), fetch.ErrLimit, 4*maxHeld)
	}
}

// reference applies the rule to the whole text.
func reference(s string) string {
	i := strings.LastIndex("\n"+s, "\n.")
	if i < 0 || !isLastLine([]byte(s[i:])) {
		return s
	}
	s = s[:i]
	for line := range strings.Lines(s) {
		if strings.HasPrefix(line, ".") && !strings.HasPrefix(line, "..") {
			return s
		}
	}
	var b strings.Builder
	for line := range strings.Lines(s) {
		if strings.HasPrefix(line, "..") {
			line = line[1:]
		}
		b.WriteString(line)
	}
	return b.String()
}

// FuzzText checks that a text in any pieces equals the reference, and that a text stuffed as in the RFC is restored.
func FuzzText(f *testing.F) {
	f.Add("a\r\n..b\r\n.\r\n", 1)
	f.Add(".\n.\n..", 3)
	f.Fuzz(func(t *testing.T, s string, cut int) {
		if cut < 0 || cut > len(s) {
			cut = 0
		}
		for _, r := range []io.Reader{
			strings.NewReader(s), io.MultiReader(strings.NewReader(s[:cut]), strings.NewReader(s[cut:])),
			iotest.HalfReader(iotest.DataErrReader(strings.NewReader(s))),
		} {
			if got, err := io.ReadAll(textOf(r, 0)); err != nil || string(got) != reference(s) {
				t.Fatalf("%q cut at %d: got %q, %v, want %q", s, cut, got, err, reference(s))
			}
		}
		if s != "" && !strings.HasSuffix(s, "\n") {
			s += "\r\n"
		}
		var b bytes.Buffer
		d := lineproto.NewDotWriter(&b)
		io.WriteString(d, s)
		d.Close()
		if got, err := io.ReadAll(textOf(iotest.HalfReader(&b), 0)); err != nil || string(got) != s {
			t.Fatalf("%q stuffed: got %q, %v, want it unchanged", s, got, err)
		}
	})
}
