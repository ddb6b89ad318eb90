package mail

import (
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"example.org/deref/fetch"
	"example.org/deref/fetch/mimemail"
)

func withCRLF(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") }

func TestSevenBit(t *testing.T) {
	for _, c := range []struct {
		name, in, want string
		kind           fetch.Kind
	}{
		{"plain", "A: b\n\nx\n", "A: b\n\nx\n", ""},
		{"no body", "A: b\n", "A: b\n", ""},
		{"8bit", "Content-Transfer-Encoding: 8bit\nA: b\n\ngrün =\n",
			"A: b\nContent-Transfer-Encoding: quoted-printable\n\ngr=C3=BCn =3D\n", ""},
		{"no text", "Content-Type: image/x\nContent-Transfer-Encoding:\n 8bit\n\nü\n",
			"Content-Type: image/x\nContent-Transfer-Encoding: base64\n\nw7wNCg==", ""},
		{"parts", "Content-Type: multipart/mixed; boundary=a\nContent-Transfer-Encoding: 8bit\n\n--a\nContent-Transfer-Encoding: 8bit\n\n" +
			"ü\n--a\nContent-Type: image/x\nContent-Transfer-Encoding: 8bit\n\nü\n--a\n\nx\n--a--\nend\n",
			"Content-Type: multipart/mixed; boundary=a\nContent-Transfer-Encoding: 7bit\n\n--a\n" +
				"Content-Transfer-Encoding: quoted-printable\n\n=C3=BC\n--a\nContent-Type: image/x\nContent-Transfer-Encoding: base64\n\n" +
				"w7w=\n--a\n\nx\n--a--\nend\n", ""},
		{"a message within", "Content-Type: message/rfc822\nContent-Transfer-Encoding: 8bit\n\nContent-Transfer-Encoding: 8bit\n\nü\n",
			"Content-Type: message/rfc822\nContent-Transfer-Encoding: 7bit\n\nContent-Transfer-Encoding: quoted-printable\n\n=C3=BC\n", ""},
		{"not declared", "A: b\n\nü\n", "", fetch.ErrRefused},
		{"in a header within", "Content-Type: multipart/mixed; boundary=a\n\n--a\nA: ü\n\n--a--\n", "", fetch.ErrRefused},
		{"binary", "Content-Transfer-Encoding: binary\n\nx\n", "", fetch.ErrRefused},
		{"signed", "Content-Type: multipart/signed; boundary=a\nContent-Transfer-Encoding: 8bit\n\n--a--\n", "", fetch.ErrRefused},
		{"deep", strings.Repeat("Content-Type: multipart/mixed; boundary=a\n\n--a\n", 100), "", fetch.ErrLimit},
	} {
		got, err := io.ReadAll(newSevenBit(iotest.HalfReader(strings.NewReader(withCRLF(c.in)))))
		if fetch.KindOf(err) != c.kind || err == nil && string(got) != withCRLF(c.want) {
			t.Errorf("%s: %v %q, want %q", c.name, err, got, withCRLF(c.want))
		}
	}
}

func TestFieldsInASCII(t *testing.T) {
	for in, want := range map[string]string{
		"Subject: a\r\n b\r\n":    "Subject: a\r\n b\r\n",
		"Subject: grün\r\n":       "Subject: =?utf-8?q?gr=C3=BCn?=\r\n",
		"Subject: gr\xfcn\r\n":    "Subject: =?utf-8?q?gr=C3=BCn?=\r\n", // Latin-1
		"To: Jörg <j@x>, a@b\r\n": "To: =?utf-8?q?J=C3=B6rg?= <j@x>,\r\n <a@b>\r\n",
		"To: jörg@x\r\n":          "",
		"To: ü\r\n":               "",
		"Subject: " + many("ü") + "\r\n": "Subject: " + strings.Repeat("=?utf-8?q?"+strings.Repeat("=C3=BC", 10)+"?=\r\n ", 3) +
			"=?utf-8?q?" + strings.Repeat("=C3=BC", 10) + "?=\r\n",
	} {
		name, _, _ := strings.Cut(in, ":")
		got, plain := field{name, in}.ascii()
		if plain != (want != "") || plain && got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func many(s string) string { return strings.Repeat(s, 40) }

// FuzzSevenBit checks that the output is US-ASCII and has the parts of the input.
func FuzzSevenBit(f *testing.F) {
	f.Add("Content-Type: multipart/mixed; boundary=a\n\n--a\nContent-Transfer-Encoding: 8bit\n\nü\n--a--\n")
	f.Add("Content-Transfer-Encoding: 8bit\nContent-Type: image/x\n\nü")
	f.Add("Content-Type: message/rfc822\nContent-Transfer-Encoding: 8bit\n\nA: b\n\nx")
	f.Fuzz(func(t *testing.T, in string) {
		in = withCRLF(strings.ReplaceAll(in, "\r", ""))
		b, err := io.ReadAll(newSevenBit(strings.NewReader(in)))
		if err != nil {
			return
		}
		if strings.IndexFunc(string(b), func(c rune) bool { return c >= 0x80 }) >= 0 {
			t.Fatalf("got %q, want US-ASCII", b)
		}
		if a, z := count(in), count(string(b)); a >= 0 && a != z { // -1 has a header that is too long
			t.Errorf("got %d parts of %q became %d in %q, want a %v", a, in, z, b, z)
		}
	})
}

func count(msg string) (n int) {
	for _, err := range mimemail.Parts(strings.NewReader(msg), 100) {
		if err != nil {
			return -1
		}
		n++
	}
	return n
}
