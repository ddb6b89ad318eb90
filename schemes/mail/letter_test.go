package mail_test

import (
	"bytes"
	"encoding/base64"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	netmail "net/mail"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"example.org/deref/fetch"
	"example.org/deref/schemes/mail"
	"example.org/deref/uri"
)

// TestLetter sends a text with attachments, and reads it as recipients do.
func TestLetter(t *testing.T) {
	t.Parallel()
	b := outbox(t, nil)
	data := bytes.Repeat([]byte{0, '\r', '\n', '.', 0xff}, 10_000)
	u := "mailto:bob@lab.test?subject=caf%C3%A9&bcc=eve@lab.test,bob@lab.test&body=unused"
	l := &mail.Letter{Text: strings.NewReader("gr\u00fc\u00dfe\n.\n--b\n"), Attachments: []mail.Attachment{
		{Name: "/tmp/Gr\u00fc\u00dfe \"1\".PDF", Data: bytes.NewReader(data)},
		{Name: "a\r\nBcc: spy@x\r\n\r\n.txt", Data: strings.NewReader("")},
		{Name: "x", Type: "message/rfc822\r\nX: y", Data: strings.NewReader("one")},
		{Name: "m.eml", Data: strings.NewReader("Subject: x\n\n8bit \u00fc")},
	}}
	msg, err := l.Message(uri.MustParse(u), uri.RFC3986)
	if err != nil {
		t.Fatal(err)
	}
	o := &fetch.Options{Set: map[string][]string{"mailto.bcc": {"\"Lab, Tim\" <tim@lab.test>"}}}
	if r, err := send(t, b, u, msg, o); err != nil || len(r.Accepted) != 3 {
		t.Fatalf("got %+v, %v, want 3 recipients", r, err)
	}
	got := b.Messages()[0]
	if to := strings.Join(got.To, " "); to != "bob@lab.test eve@lab.test tim@lab.test" {
		t.Errorf("got %q, want each recipient once", to)
	}
	if has := strings.ToLower(got.Text); strings.Contains(has, "eve@") || strings.Contains(has, "tim@") || strings.Contains(has, "\nbcc") || strings.Contains(has, "\nx:") {
		t.Errorf("got a hidden recipient, or a field of an attachment's name:\n%.900s", got.Text)
	}
	m, err := netmail.ReadMessage(strings.NewReader(got.Text))
	if err != nil {
		t.Fatal(err)
	}
	_, params, err := mime.ParseMediaType(m.Header.Get("Content-Type"))
	if err != nil || m.Header.Get("Subject") != "=?utf-8?q?caf=C3=A9?=" {
		t.Fatalf("got %v %v", m.Header, err)
	}
	want := [][3]string{
		{"text/plain; charset=utf-8", "", "gr\u00fc\u00dfe\r\n.\r\n--b\r\n"},
		{"application/pdf; name=\"=?utf-8?q?Gr=C3=BC=C3=9Fe_\\\"1\\\".PDF?=\"", "Gr\u00fc\u00dfe \"1\".PDF", string(data)},
		{"text/plain; name=\"a__Bcc: spy@x____.txt\"", "a__Bcc: spy@x____.txt", ""},
		{"application/octet-stream; name=x", "x", "one"},
		{"application/octet-stream; name=m.eml", "m.eml", "Subject: x\n\n8bit \u00fc"},
	}
	in := multipart.NewReader(m.Body, params["boundary"])
	for i, w := range want {
		p, err := in.NextRawPart()
		if err != nil {
			t.Fatalf("part %d: %v", i, err)
		}
		body := decoded(t, p)
		if p.Header.Get("Content-Type") != w[0] || p.FileName() != w[1] || body != w[2] {
			t.Errorf("part %d: got %q, %q, %.60q (%d bytes), want %q, %q, %.60q (%d bytes)",
				i, p.Header.Get("Content-Type"), p.FileName(), body, len(body), w[0], w[1], w[2], len(w[2]))
		}
	}
	if _, err := in.NextRawPart(); err != io.EOF {
		t.Errorf("got %v, want no more parts", err)
	}
}

// decoded returns the contents of a part.
func decoded(t *testing.T, p *multipart.Part) string {
	t.Helper()
	in := io.Reader(p)
	switch p.Header.Get("Content-Transfer-Encoding") {
	case "base64":
		in = base64.NewDecoder(base64.StdEncoding, p)
	case "quoted-printable":
		in = quotedprintable.NewReader(p)
	}
	b, err := io.ReadAll(in)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestLetterWithoutAttachment checks that a text alone is one part, and that a short one in US-ASCII is not encoded.
func TestLetterWithoutAttachment(t *testing.T) {
	for text, want := range map[string]string{
		"Note: a=b\n": "Content-Type: text/plain; charset=utf-8\r\n\r\nNote: a=b\n",
		"caf\xe9":     "Content-Type: text/plain; charset=unknown-8bit\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\ncaf=E9",
		"\xff\n":      "Content-Type: text/plain; charset=unknown-8bit\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n=FF\r\n",
	} {
		msg, err := (&mail.Letter{Text: strings.NewReader(text)}).Message(uri.MustParse("mailto:a@b?cc=c@d"), uri.RFC3986)
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(msg)
		if want = "To: a@b\r\nCc: c@d\r\nMIME-Version: 1.0\r\n" + want; err != nil || string(got) != want {
			t.Errorf("got %q, %v, want %q", got, err, want)
		}
	}
}

// TestLetterMemory reads a large attachment in constant memory, and one that cannot be read to its end is an error.
func TestLetterMemory(t *testing.T) {
	const size, most = 16 << 20, 4 << 20
	broken := errors.New("disk")
	l := &mail.Letter{Text: strings.NewReader("x"), Attachments: []mail.Attachment{
		{Name: "big", Data: io.LimitReader(zeros{}, size)}, {Name: "bad", Data: io.MultiReader(strings.NewReader("x"), iotest.ErrReader(broken))}}}
	msg, err := l.Message(uri.MustParse("mailto:a@b"), uri.RFC3986)
	if err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	n, err := io.Copy(io.Discard, msg)
	runtime.ReadMemStats(&after)
	if used := after.TotalAlloc - before.TotalAlloc; used > most || n < size || !errors.Is(err, broken) {
		t.Errorf("got %d bytes, %d allocated, %v, want more than %d, at most %d, %v", n, used, err, size, most, broken)
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }
