package mimemail

import (
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// Headers are held in memory while their entities are read, so bytes and fields are bounded at every level (promise 6).
func TestPromise6Headers(t *testing.T) {
	const top = "MIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b\r\n"
	in := func(header string) string { return top + "\r\n--b\r\n" + header + "\r\nhello\r\n--b--\r\n" }
	inner := func(header string) string {
		return top + "\r\n--b\r\nContent-Type: multipart/mixed; boundary=c\r\n\r\n--c \r\n" + header + "\r\nhello\r\n--c--\r\n--b--\r\n"
	}
	times := strings.Repeat
	for _, c := range []struct {
		name, msg string
		whole     bool
	}{
		{"fields of the message", times("X: y\r\n", maxHeaderLines+1) + "\r\nhello", false},
		{"as many as may be", times("X: y\r\n", maxHeaderLines) + "\r\nhello\r\n", true},
		{"bytes of the message", "X: " + times("y", MaxHeader) + "\r\n\r\nhello", false},
		{"folded lines", "X: y\r\n" + times(" z\r\n", maxHeaderLines) + "\r\nhello", false},
		{"fields of a part", in(times("X: y\r\n", maxPartLines+1)), false},
		{"as many as may be, of a part", in(times("X: y\r\n", maxPartLines)), true},
		{"bytes of a part", in("X: " + times("y", maxPartHeader) + "\r\n"), false},
		{"a line of a part without a colon", in(times("y", maxPartHeader)), false},
		{"line ends without CR", strings.ReplaceAll(in(times("X: y\r\n", maxPartLines+1)), "\r", ""), false},
		{"fields of an inner part", inner(times("X: y\r\n", maxPartLines+1)), false},
		{"an inner part", inner("X: y\r\n"), true},
		{"a long body", times("X: y\r\n\r\n", 1) + times("X: y\r\n", maxHeaderLines+1) + times("z", MaxHeader) + "hello\r\n", true},
		{"a long body of a part", in("\r\n" + times("X: y\r\n", maxPartLines+1) + "--bb\r\n" + times("z", maxPartHeader) + "\r\n"), true},
	} {
		for way, r := range map[string]io.Reader{"at once": strings.NewReader(c.msg),
			"in pieces": iotest.HalfReader(strings.NewReader(c.msg))} {
			var err error
			var b []byte
			for p, perr := range Parts(r, 10) {
				if err = perr; err == nil {
					b, err = io.ReadAll(p.Body)
				}
			}
			if c.whole && (err != nil || !strings.HasSuffix(strings.TrimSpace(string(b)), "hello")) || !c.whole &&
				(err == nil || !strings.Contains(err.Error(), errHeader.Error())) {
				t.Errorf("%s, %s: got %v, %d bytes, want whole %v", c.name, way, err, len(b), c.whole)
			}
		}
	}
}
