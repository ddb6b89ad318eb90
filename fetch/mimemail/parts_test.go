package mimemail

import (
	"bytes"
	"fmt"
	"hash/crc32"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

// list describes the parts of a message: number, path, type, name, encoding, body.
func list(msg io.Reader) (out []string) {
	for p, err := range Parts(msg, 10) {
		if err != nil {
			return append(out, err.Error())
		}
		b, err := io.ReadAll(p.Body)
		line := fmt.Sprintf("%d %s %s %s %s %q", p.Number, p.Path, p.Type, p.Name, p.Encoding, b)
		if err != nil {
			line += " " + err.Error()
		}
		out = append(out, strings.Join(strings.Fields(line), " "))
	}
	return out
}

func crlf(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") }

const mixed = `MIME-Version: 1.0
Content-Type: multipart/mixed; boundary=a

preamble
--a
Content-Type: multipart/alternative; boundary=b

--b
Content-Type: text/plain; charset=utf-8
Content-Transfer-Encoding: quoted-printable

caf=C3=A9
--b
Content-Type: text/html

<p>x
--b--
--a
Content-Type: image/gif; name="=?utf-8?Q?caf=C3=A9.gif?="
Content-ID: <pix@h>
Content-Transfer-Encoding: base64

AAEC
--a--
`

func TestParts(t *testing.T) {
	sum := crc32.ChecksumIEEE([]byte("abc"))
	for _, c := range []struct {
		name, in string
		want     []string
	}{
		{"no MIME", "Subject: x\n\nhello\n", []string{`1 text/plain "hello\r\n"`}},
		{"no body", "Subject: x\n\n", []string{`1 text/plain ""`}},
		{"MIME", mixed, []string{`1 1.1 text/plain; charset=utf-8 quoted-printable "café"`, `2 1.2 text/html "<p>x"`,
			`3 2 image/gif; name="=?utf-8?Q?caf=C3=A9.gif?=" café.gif base64 "\x00\x01\x02"`}},
		{"uuencode", "Subject: x\n\nhere it is\nbegin 644 a b.txt\n#0V%T\n`\nend\nthat was it\n",
			[]string{`1 text/plain "here it is\r\n"`, `2 application/octet-stream a b.txt uuencode "Cat"`, `3 text/plain "that was it\r\n"`}},
		{"two files and blank lines", "Subject: x\n\nbegin 644 a\n#0V%T\n`\nend\n\n\nbegin 600 b\n#0V%T\n \nend\n\n",
			[]string{`1 text/plain ""`, `2 application/octet-stream a uuencode "Cat"`, `3 application/octet-stream b uuencode "Cat"`}},
		{"uuencode without the blanks at the end of a line", "Subject: x\n\nbegin 644 a\n#0V%T\n&0V%T\n`\nend\n",
			[]string{`1 text/plain ""`, `2 application/octet-stream a uuencode "CatCat\x00\x00\x00"`}},
		{"a name without quotation marks", "Content-Type: application/pdf; name=a b.pdf\n\nx\n", []string{`1 application/pdf "x\r\n"`}},
		{"begin in prose", "Subject: x\n\nWe shall\nbegin 100 years ago\nwith nothing encoded\n",
			[]string{`1 text/plain "We shall\r\nbegin 100 years ago\r\nwith nothing encoded\r\n"`}},
		{"uuencode without an end", "Subject: x\n\nbegin 644 a\n#0V%T\n",
			[]string{`1 text/plain ""`, `2 application/octet-stream a uuencode "Cat" the encoded file has no end`,
				`the encoded file has no end`}},
		{"yEnc", fmt.Sprintf("Subject: x\n\n=ybegin line=128 size=3 name=a b.bin\n\x8b\x8c\x8d\n=yend size=3 crc32=%08x\n", sum),
			[]string{`1 text/plain ""`, `2 application/octet-stream a b.bin yenc "abc"`}},
		{"yEnc part", fmt.Sprintf("Subject: x\n\n=ybegin part=2 line=128 size=9 name=a\n=ypart begin=4 end=6\n\x8b\x8c\x8d\n"+
			"=yend size=3 part=2 pcrc32=%08x\n", sum), []string{`1 text/plain ""`, `2 application/octet-stream a yenc "abc"`}},
		{"yEnc part, checksum", "Subject: x\n\n=ybegin part=2 total=2 line=128 size=9 name=a\n=ypart begin=4 end=6\n\x8b\x8c\x8d\n" +
			"=yend size=3 part=2 pcrc32=00000000\n", []string{`1 text/plain ""`,
			`2 application/octet-stream a yenc "abc" the checksum of the yEnc file is wrong`, `the checksum of the yEnc file is wrong`}},
		{"yEnc escapes", "Subject: x\n\n=ybegin line=128 size=2 name=a\n=}=J\n=yend size=2\n",
			[]string{`1 text/plain ""`, `2 application/octet-stream a yenc "\x13\xe0"`}},
		{"yEnc too short", "Subject: x\n\n=ybegin line=128 size=4 name=a\n\x8b\x8c\x8d\n=yend size=4\n", []string{`1 text/plain ""`,
			`2 application/octet-stream a yenc "abc" the yEnc file has 3 of 4 bytes`, `the yEnc file has 3 of 4 bytes`}},
		{"yEnc checksum", "Subject: x\n\n=ybegin line=128 size=3 name=a\n\x8b\x8c\x8d\n=yend size=3 crc32=00000000\n",
			[]string{`1 text/plain ""`,
				`2 application/octet-stream a yenc "abc" the checksum of the yEnc file is wrong`, `the checksum of the yEnc file is wrong`}},
		{"unknown encoding", "MIME-Version: 1.0\nContent-Type: text/html\nContent-Transfer-Encoding: x-rot13\n\nnop\n",
			[]string{`1 text/html "nop\r\n"`}},
		{"cut", strings.TrimSuffix(mixed, "--a--\n"), []string{`1 1.1 text/plain; charset=utf-8 quoted-printable "café"`,
			`2 1.2 text/html "<p>x"`, `3 2 image/gif; name="=?utf-8?Q?caf=C3=A9.gif?=" café.gif base64 "\x00\x01\x02" unexpected EOF`,
			"unexpected EOF"}},
	} {
		got := list(iotest.HalfReader(strings.NewReader(crlf(c.in))))
		if !slices.Equal(got, c.want) {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, strings.Join(got, "\n"), strings.Join(c.want, "\n"))
		}
	}
}

func TestNesting(t *testing.T) {
	deep := ""
	for i := range 100 {
		deep += fmt.Sprintf("Content-Type: multipart/mixed; boundary=b%dx\n\n--b%dx\n", i, i)
	}
	if got := list(strings.NewReader(crlf(deep))); len(got) != 1 || got[0] != errDepth.Error() {
		t.Errorf("got %q, want only %v", got, errDepth)
	}
	wide := "Content-Type: multipart/mixed; boundary=a\n\n" + strings.Repeat("--a\n\nx\n", maxParts+10) + "--a--\n"
	if got := list(strings.NewReader(crlf(wide))); len(got) != maxParts || got[maxParts-1] != errParts.Error() {
		t.Errorf("got %d parts, want %d, the last %v", len(got), maxParts, errParts)
	}
}

// TestAgainstUuencode compares with the system's program, if it is installed.
func TestAgainstUuencode(t *testing.T) {
	name, err := exec.LookPath("uuencode")
	if err != nil {
		t.Skip("no uuencode here")
	}
	data := bytes.Repeat([]byte("0123456789 \x00\xff`"), 777)
	cmd := exec.Command(name, "file")
	cmd.Stdin = bytes.NewReader(data)
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	for p, err := range Parts(io.MultiReader(strings.NewReader("A: b\n\n"), bytes.NewReader(out)), 10) {
		if err != nil {
			t.Fatal(err)
		}
		if b, _ := io.ReadAll(p.Body); p.Number == 2 && !bytes.Equal(b, data) {
			t.Errorf("got %d bytes, want the %d that were encoded", len(b), len(data))
		}
	}
}

// FuzzParts: nothing panics, numbers rise, and leaving in the middle is safe.
func FuzzParts(f *testing.F) {
	f.Add([]byte(crlf(mixed)), 1)
	f.Add([]byte("A: b\n\nbegin 644 a\n#0V%T\n`\nend\n"), 2)
	f.Add([]byte("A: b\n\n=ybegin line=128 size=3 name=a\n\x8b\x8c\x8d\n=yend size=3\n"), 0)
	f.Fuzz(func(t *testing.T, msg []byte, stop int) {
		last := 0
		for p, err := range Parts(bytes.NewReader(msg), 5) {
			if err != nil {
				break
			}
			if p.Number != last+1 {
				t.Fatalf("got part %d after %d, want %d", p.Number, last, last+1)
			}
			if last = p.Number; last == stop {
				break
			}
			io.CopyN(io.Discard, p.Body, 10)
		}
	})
}
