package render

import (
	"encoding/base64"
	"io"
	"strings"
	"testing"

	"example.org/deref/fetch"
)

func TestMessageForPeople(t *testing.T) {
	const mixed = "Subject: =?iso-8859-1?Q?caf=E9?=\nX-Odd: y\nFrom: =?utf-8?q?J=C3=B6rg?= <j@x>\nMIME-Version: 1.0\n" +
		"Content-Type: multipart/mixed; boundary=o\n\n--o\n" +
		"Content-Type: multipart/alternative; boundary=i\n\n--i\nContent-Type: text/plain; charset=iso-8859-1\n" +
		"Content-Transfer-Encoding: quoted-printable\n\ncaf=E9\n--i\nContent-Type: text/html\n\n<p>again\n--i--\n" +
		"--o\nContent-Type: image/gif; name=a.gif\nContent-Transfer-Encoding: base64\n\nAAEC\n--o--\n"
	const shown = "Subject: café\nFrom: Jörg <j@x>\n\n"
	const forwarded = "Subject: outer\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=w\n\n--w\n\nsee:\n--w\n" +
		"Content-Type: message/rfc822\nContent-Disposition: attachment; filename=it.eml\n\n" + mixed + "\n--w\n\nso far\n--w--\n"
	for _, c := range []struct{ name, in, want string }{
		{"plain", "Subject: x\n\nhello\n", "Subject: x\n\nhello\n"},
		{"nothing", "", "\n"},
		{"parts", mixed, shown + "café\n[part 2: text/html, 8 bytes]\n\n[part 3: image/gif a.gif, 3 bytes]\n"},
		{"cut", mixed[:strings.Index(mixed, "AAEC")], shown + "café\n[part 2: text/html, 8 bytes]\n\n[broken: unexpected EOF]\n"},
		{"a message forwarded", forwarded, "Subject: outer\n\nsee:\n[part 2: message/rfc822 it.eml]\n" + shown +
			"café\n[part 2/2: text/html, 8 bytes]\n\n[part 2/3: image/gif a.gif, 3 bytes]\n\n[end of part 2]\n\nso far"},
		{"a broken one", strings.Replace(forwarded, "--o--\n", "", 1), "Subject: outer\n\nsee:\n[part 2: message/rfc822 it.eml]\n" + shown +
			"café\n[part 2/2: text/html, 8 bytes]\n\n[part 2/3: image/gif a.gif, 3 bytes]\n\n[broken: unexpected EOF]\n\n[end of part 2]\n\nso far"},
		{"one in base64", "Content-Type: message/rfc822\nContent-Transfer-Encoding: base64\n\n" +
			base64.StdEncoding.EncodeToString([]byte("Subject: x\r\n\r\nhello\r\n")) + "\n",
			"\n\n[part 1: message/rfc822]\nSubject: x\n\nhello\n\n[end of part 1]\n"},
	} {
		d := fetch.NewDocument(io.NopCloser(strings.NewReader(strings.ReplaceAll(c.in, "\n", "\r\n"))))
		d.Type = "message/rfc822"
		if got := strings.ReplaceAll(view(t, d, Text, nil), "\r", ""); got != c.want {
			t.Errorf("%s: got\n%q\nwant\n%q", c.name, got, c.want)
		}
	}
}

// TestMessagesInMessages: nested messages are shown to a bounded depth. The source of deeper ones is shown.
func TestMessagesInMessages(t *testing.T) {
	const below = 4
	deep := strings.Repeat("Content-Type: message/rfc822\r\n\r\n", 1+maxLetters+below) + "Subject: x\r\n\r\nhello\r\n"
	for _, format := range []Format{Text, HTML} {
		got := view(t, document("message/rfc822", deep), format, nil)
		if n := strings.Count(got, "Content-Type: message/rfc822"); n != below {
			t.Errorf("%s: got the source of %d messages, want %d, in\n%s", format, n, below, got)
		}
		if innermost := "art " + strings.Repeat("1/", maxLetters-1) + "1"; !strings.Contains(got, innermost) ||
			strings.Contains(got, innermost+"/") {
			t.Errorf("%s: want %d nested messages shown in\n%s", format, maxLetters, got)
		}
	}
}
