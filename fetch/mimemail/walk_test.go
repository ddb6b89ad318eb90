package mimemail

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

const nesting = 50

const related = `Message-ID: <m@x>
Content-Type: multipart/related; boundary="outer"

preamble
--outer
Content-ID: <a@x>

text a
--outer
Content-Type: multipart/alternative; boundary="outer2"
Content-ID: <multi@x>

--outer2
Content-ID: <b@x>
Content-Transfer-Encoding: quoted-printable

gen=E8ve=
 x

--outer2--
--outer
Content-Type: message/rfc822
Content-ID: <enclosed@x>

Message-ID: <inner@x>
Content-Type: multipart/mixed; boundary=in

--in
Content-ID: <c@x>
Content-Transfer-Encoding: base64

aGVs bG8=
--in--
--outer--
epilogue
`

func find(in, id string) (string, error) {
	p, err := Find(strings.NewReader(in), nesting, func(p *Entity) bool { return p.ContentID() == id })
	if p == nil || err != nil {
		return "", err
	}
	r, _ := p.Decoded()
	b, err := io.ReadAll(r)
	return fmt.Sprint(p.Path, " ", string(b)), err
}

func TestFind(t *testing.T) {
	for _, in := range []string{related, strings.ReplaceAll(related, "\n", "\r\n")} {
		for id, want := range map[string]string{
			"a@x": "[1] text a", "b@x": "[2 1] gen\xe8ve x\n", "c@x": "[3 1 1] hello", "none@x": "",
			"multi@x": "[2] --outer2\nContent-ID: <b@x>\nContent-Transfer-Encoding: quoted-printable\n\ngen=E8ve=\n x\n\n--outer2--",
		} {
			if got, err := find(in, id); err != nil || strings.ReplaceAll(got, "\r", "") != want {
				t.Errorf("%s: %v %q, want %q", id, err, got, want)
			}
		}
	}
}

func TestWalk(t *testing.T) {
	list := []string{}
	_, err := Find(strings.NewReader(related), nesting, func(p *Entity) bool {
		list = append(list, fmt.Sprint(p.Path, p.ContentID()))
		return false
	})
	if want := []string{"[]", "[1]a@x", "[2]multi@x", "[2 1]b@x", "[3]enclosed@x", "[3 1]", "[3 1 1]c@x"}; err != nil ||
		!slices.Equal(list, want) {
		t.Errorf("got %v %v, want %q", err, list, want)
	}
}

func TestBroken(t *testing.T) {
	cut := related[:strings.Index(related, "text a")+4]
	if got, err := find(cut, "a@x"); !errors.Is(err, io.ErrUnexpectedEOF) || got != "[1] text" {
		t.Errorf("got %v %q, want %v, %q", err, got, io.ErrUnexpectedEOF, "[1] text")
	}
	inner := strings.Replace(related, "--outer2--\n", "", 1) // without the inner closing delimiter
	if got, err := find(inner, "c@x"); err != nil || got != "[3 1 1] hello" {
		t.Errorf("got %v %q, want %q", err, got, "[3 1 1] hello")
	}
	if got, err := find(strings.Replace(related, "aGVs", "aGVs*", 1), "c@x"); err == nil {
		t.Errorf("a byte that is not base64: got %q, want an error", got)
	}
	var deep strings.Builder
	deep.WriteString("Content-Type: multipart/mixed; boundary=b0\n\n")
	for i := range 10000 {
		fmt.Fprintf(&deep, "--b%d\nContent-Type: multipart/mixed; boundary=b%d\n\n", i, i+1)
	}
	if _, err := find(deep.String(), "x"); err != errDepth {
		t.Errorf("deep: got %v, want %v", err, errDepth)
	}
	messages := strings.Repeat("Content-Type: message/rfc822\n\n", 100000)
	if _, err := find(messages, "x"); err != errDepth {
		t.Errorf("messages: got %v, want %v", err, errDepth)
	}
	many := "Content-Type: multipart/mixed; boundary=b\n\n" + strings.Repeat("--b\n\n", 100000)
	if _, err := find(many, "x"); err != errParts {
		t.Errorf("many: got %v, want %v", err, errParts)
	}
	long := "X: " + strings.Repeat("x", 1<<20) + "\nContent-ID: <a>\n\nbody"
	if got, err := find(long, "a"); err != errHeader {
		t.Errorf("got %v %.100q, want %v", err, got, errHeader)
	}
}

func FuzzWalk(f *testing.F) {
	f.Add(related)
	f.Add("Content-Type: multipart/mixed; boundary=b\n\n--b\n\n--b--\r\n--b")
	f.Fuzz(func(t *testing.T, in string) {
		total := 0
		_, err := Find(strings.NewReader(in), nesting, func(p *Entity) bool {
			if len(p.Path) > 2*nesting {
				t.Fatalf("got depth %d, want at most %d", len(p.Path), 2*nesting)
			}
			if p.ContentID() != "" {
				b, _ := io.ReadAll(p.Raw())
				total += len(b)
			}
			return false
		})
		if total > len(in) {
			t.Errorf("got %d bytes, want at most %d (%v)", total, len(in), err)
		}
	})
}

// Only some lines of a field that is folded into very many are joined: each costs a copy of the value so far (promise 6).
func TestFoldedField(t *testing.T) {
	few, many := "X: y\n"+strings.Repeat(" z\n", 100)+"Subject: s\n\n", "X: y\n"+strings.Repeat(" z\n", 60_000)+"Subject: s\n\n"
	if h := ParseHeader([]byte(few)); len(h.Get("X")) != 201 || h.Get("Subject") != "s" {
		t.Errorf("got %d bytes, %q, want 201, Subject %q", len(h.Get("X")), h.Get("Subject"), "s")
	}
	if h := ParseHeader([]byte(many)); len(h.Get("X")) > 2*maxFolds+1 || h.Get("Subject") != "s" {
		t.Errorf("got %d bytes, %q, want at most %d, Subject %q", len(h.Get("X")), h.Get("Subject"), 2*maxFolds+1, "s")
	}
}

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

// TestLongHeaderLine: a line that is longer than a piece is one line, with the same value wherever the pieces end.
func TestLongHeaderLine(t *testing.T) {
	for n := maxPiece - 30; n < maxPiece+30; n++ {
		msg := "Content-Type: multipart/mixed; x=" + strings.Repeat("a", n) + "; boundary=in\r\n\r\n--in\r\nContent-ID: <c@x>\r\n\r\nhello\r\n--in--\r\n"
		if got, err := find(msg, "c@x"); err != nil || got != "[1] hello" {
			t.Fatalf("%d: got %q, %v", n, got, err)
		}
	}
}
