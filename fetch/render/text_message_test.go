package render

import (
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"example.org/deref/fetch"
	"example.org/deref/uri"
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

func TestBoardText(t *testing.T) {
	const boxes, drawn = "\xc9\xcd\xbb\r\n\xc8\xcd\xbc\r\n", "╔═╗\r\n╚═╝\r\n"
	broken := errors.New("broken")
	for _, c := range []struct{ name, mediaType, data, want string }{
		{"a.nfo", "", boxes, drawn},
		{"A.NFO", "application/octet-stream", boxes, drawn},
		{"file_id.diz", "text/plain", boxes, drawn},
		{"x", "text/x-ansi", boxes, drawn},
		{"a.nfo", "text/plain; charset=windows-1252", "caf\xe9\n", "café\n"},
		{"a.nfo", "text/plain", "café ╔\n", "café ╔\n"},
		{"a.nfo", "text/plain; charset=ibm866", "\x8f\xe0\n", "Пр\n"},
		{"a.ans", "", "\x1b[2J\x1b[1;31m\xdb\xdb\x1b[3C\xdc\x1b[", "██▄"},
		{"a.ans", "", "ab\x1aSAUCE00Lake", "ab"},
		{"a.ans", "", "\x1b[31m┌─┐漢\x1b[31\n", "┌─┐漢\n"}, // a modern one, and an unfinished sequence
		{"x.txt", "text/plain", "\x1b[1mbold\n", "\x1b[1mbold\n"},
		{"x.txt", "text/plain", "caf\xe9\n", "café\n"},
		{"a.nfo", "text/html; charset=utf-8", "<p>\n", "<p>\n"},
	} {
		d := &fetch.Document{URI: uri.MustParse("ftp://h/" + c.name), Type: c.mediaType}
		for _, in := range []io.Reader{strings.NewReader(c.data), iotest.OneByteReader(strings.NewReader(c.data))} {
			d.Body = io.NopCloser(in)
			if got := view(t, d, Text, nil); got != c.want {
				t.Errorf("%s %s %q: got %q, want %q", c.name, c.mediaType, c.data, got, c.want)
			}
		}
		if strings.HasSuffix(c.data, "\n") {
			d.Body = io.NopCloser(io.MultiReader(strings.NewReader(c.data), iotest.ErrReader(broken)))
			var b strings.Builder
			if err := View(&b, d, Text, nil); !errors.Is(err, broken) || b.String() != c.want {
				t.Errorf("%s before an error: got %q, %v, want %q", c.name, b.String(), err, c.want)
			}
		}
	}
}

// A terminal gets no control sequence of a text, also if it is not one that is left out.
func TestPromise9BoardTextOnATerminal(t *testing.T) {
	const evil = "\x1b[1;31mred\x1b[0m\x1b]0;title\x07\x1b[6n\u009b31m\x1bc\x1b\x1b[[m"
	d := &fetch.Document{URI: uri.MustParse("ftp://h/a.ans"), Body: io.NopCloser(strings.NewReader(evil))}
	if got, want := view(t, d, Text, &Options{Terminal: true, Color: true}), `red\x1b]0;title\x07\u009b31m\x1bc\x1bm`; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestReadQuestion(t *testing.T) {
	for line, want := range map[string]string{
		"Ask: Your name?":                 "Ask|Your name?|[]|",
		"Ask: From?\tGeneva":              "Ask|From?|[Geneva]|Geneva",
		"Choose: How?\tgopher\tftp":       "Choose|How?|[gopher ftp]|gopher",
		"Select: A copy?":                 "Select|A copy?|[]|0",
		"AskL:What: do you want to say?":  "AskL|What: do you want to say?|[]|",
		"Ask: A control \x1b[31m\x07 end": `Ask|A control \x1b[31m\x07 end|[]|`,
		"without a kind":                  "Note|without a kind|[]|",
		"":                                "Note||[]|",
	} {
		q := ReadQuestion(line)
		if got := fmt.Sprintf("%s|%s|%v|%s", q.Kind, q.Text, q.Choices, q.Default()); got != want {
			t.Errorf("%q: got %s, want %s", line, got, want)
		}
	}
	if got := (Question{Kind: "AskL"}).Answer("a\r\nb"); got != "a\nb\n" {
		t.Errorf("got %q, want lines that end with LF", got)
	}
}
