package schemetest_test

import (
	"bufio"
	"bytes"
	"io"
	"net/textproto"
	"strings"
	"testing"
	"testing/iotest"

	"example.org/deref/schemes/internal/lineproto"
)

func TestDotStuffing(t *testing.T) {
	tests := []struct{ in, want string }{
		{"", ".\r\n"},
		{"a\r\n", "a\r\n.\r\n"},
		{"a", "a\r\n.\r\n"},
		{"a\r", "a\r\n.\r\n"},
		{".\r\n..\r\n.x", "..\r\n...\r\n..x\r\n.\r\n"},
		{"a.\r\n", "a.\r\n.\r\n"},
	}
	for _, tt := range tests {
		for step := 1; step <= 3; step++ {
			var b bytes.Buffer
			w := lineproto.NewDotWriter(&b)
			for i := 0; i < len(tt.in); i += step {
				w.Write([]byte(tt.in[i:min(i+step, len(tt.in))]))
			}
			w.Close()
			if b.String() != tt.want {
				t.Errorf("%q by %d: got %q, want %q", tt.in, step, b.String(), tt.want)
			}
		}
	}
}

// FuzzDotReader checks that net/textproto, which turns CR LF into LF, decodes the written text.
func FuzzDotReader(f *testing.F) {
	f.Add(".\n..\na")
	f.Fuzz(func(t *testing.T, text string) {
		if strings.Contains(text, "\r") {
			t.Skip("line ends are the crlf package's")
		}
		var b bytes.Buffer
		w := lineproto.NewDotWriter(&b)
		io.WriteString(w, strings.ReplaceAll(text, "\n", "\r\n"))
		w.Close()
		got, err := io.ReadAll(textproto.NewReader(bufio.NewReader(&b)).DotReader())
		want := text
		if want != "" && !strings.HasSuffix(want, "\n") {
			want += "\n"
		}
		if err != nil || string(got) != want {
			t.Errorf("%q: got %q, %v, want %q", text, got, err, want)
		}
	})
}

func TestLineEndsWrong(t *testing.T) {
	for in, want := range map[string]string{
		"": "", "a": "", "a\r\nb\r\n": "", "\r\n\r\n": "", "a\rb\r\n": "",
		"\n": "LF without CR", "a\r\nb\nc\r\n": "LF without CR", "\r\n\n": "LF without CR", "a\r\r\n": "CR CR LF",
	} {
		for step := 1; step <= 3; step++ { // a CR and its LF may come in different pieces
			var l lineproto.LineEnds
			got := ""
			for i := 0; i < len(in); i += step {
				if wrong := l.Wrong([]byte(in[i:min(i+step, len(in))])); got == "" {
					got = wrong
				}
			}
			if got != want {
				t.Errorf("%q by %d: got %q, want %q", in, step, got, want)
			}
		}
	}
}

func TestLineWriter(t *testing.T) {
	for in, want := range map[string][2]string{ // of NewLineWriter, where lone CRs stay, and of NewTextWriter
		"":             {"", ""},
		"a\nb\n":       {"a\r\nb\r\n", "a\r\nb\r\n"},
		"a\rb\n\r\r\n": {"a\rb\r\n\r\r\n", "a\r\nb\r\n\r\n\r\n"},
		"\r\r\n\n":     {"\r\r\n\r\n", "\r\n\r\n\r\n"},
		"a\rb\nc\r\nd": {"a\rb\r\nc\r\nd", "a\r\nb\r\nc\r\nd"},
		"\r.\r":        {"\r.\r", "\r\n.\r\n"},
	} {
		for step := 1; step <= 3; step++ { // a CR and its LF may come in different writes
			for i, converted := range []func(io.Writer) *lineproto.LineWriter{lineproto.NewLineWriter, lineproto.NewTextWriter} {
				var b bytes.Buffer
				w := converted(&b)
				for i := 0; i < len(in); i += step {
					w.Write([]byte(in[i:min(i+step, len(in))]))
				}
				if b.String() != want[i] {
					t.Errorf("%q by %d: got %q, want %q", in, step, b.String(), want[i])
				}
			}
		}
	}
}

func TestLineReader(t *testing.T) {
	text := strings.Repeat("a\nb\r\n", 3000)
	r := lineproto.NewLineReader(iotest.OneByteReader(strings.NewReader(text)))
	if err := iotest.TestReader(r, []byte(strings.Repeat("a\r\nb\r\n", 3000))); err != nil {
		t.Error(err)
	}
	if _, err := io.ReadAll(lineproto.NewLineReader(iotest.ErrReader(io.ErrNoProgress))); err != io.ErrNoProgress {
		t.Errorf("got %v, want %v", err, io.ErrNoProgress)
	}
}

func FuzzNoBareLF(f *testing.F) {
	f.Add([]byte("a\nb\r\n"), 1)
	f.Fuzz(func(t *testing.T, p []byte, cut int) {
		if cut < 0 || cut > len(p) {
			cut = 0
		}
		var b bytes.Buffer
		w := lineproto.NewLineWriter(&b)
		w.Write(p[:cut])
		w.Write(p[cut:])
		if strings.Contains(strings.ReplaceAll(b.String(), "\r\n", ""), "\n") {
			t.Errorf("%q cut at %d: got %q, want no LF without CR", p, cut, b.String())
		}
	})
}
