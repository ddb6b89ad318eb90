package schemetest_test

import (
	"bufio"
	"bytes"
	"io"
	"net/textproto"
	"strings"
	"testing"

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
