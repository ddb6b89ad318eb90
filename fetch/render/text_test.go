package render

import (
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

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
		d := document("message/rfc822", strings.ReplaceAll(c.in, "\n", "\r\n"))
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

func gemtextDocument() *fetch.Document {
	attr := func(name, value string) map[string][]string { return map[string][]string{name: {value}} }
	d := listing([]fetch.Entry{
		{Title: "##Birds", Kind: fetch.KindText, Attr: attr(fetch.AttrHeading, "2")},
		{Title: "The owl hoots \x1b]0;x\x07 at night, the lark in the morning.", Kind: fetch.KindText},
		{Title: "", Kind: fetch.KindText},
		{Title: "* an item that is longer than the line", Kind: fetch.KindText},
		{Title: ">It hoots, and it hoots again.", Kind: fetch.KindText},
		{Title: " (o,o)   a long line of art stays", Kind: fetch.KindText, Attr: attr(fetch.AttrVerbatim, "An owl")},
		{Title: "More about owls, by night and day", Kind: fetch.KindLink, URI: uri.MustParse("gemini://h/owl")},
		{Title: "Find 鳥", Kind: fetch.KindSearch, URI: uri.MustParse("spartan://h/find")},
	}...)
	d.Type = "text/gemini; charset=utf-8"
	return d
}

func TestGemtextOnATerminal(t *testing.T) {
	want := "## Birds\nThe owl hoots\n\\x1b]0;x\\x07 at\nnight, the lark in\nthe morning.\n\n* an item that is\n  longer than the\n  line\n> It hoots, and it\n> hoots again.\n" +
		" (o,o)   a long line of art stays\n  [1] More about\n      owls, by night\n      and day\n  [2] Find 鳥 <?>\n"
	if got := view(t, gemtextDocument(), Text, &Options{Terminal: true, Width: 20}); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := view(t, gemtextDocument(), Text, &Options{Terminal: true, Color: true, Width: 20}); !strings.HasPrefix(got, "\x1b[1m## Birds\x1b[m\nThe owl") {
		t.Errorf("got %q, want a bold heading", got)
	}
	var links []int
	for row := range TextRows(gemtextDocument(), &Options{Terminal: true, Width: 20}) {
		links = append(links, row.Link)
	}
	if want := []int{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 2}; !slices.Equal(links, want) {
		t.Errorf("got the links %v, want %v", links, want)
	}
}

func TestGemtextLine(t *testing.T) {
	attr := func(name string) map[string][]string { return map[string][]string{name: {""}} }
	for _, tt := range []struct {
		entry fetch.Entry
		kind  LineType
		text  string
	}{
		{fetch.Entry{Title: "A paragraph."}, LineText, "A paragraph."},
		{fetch.Entry{Title: ""}, LineText, ""},
		{fetch.Entry{Title: "* owls"}, LineItem, "owls"},
		{fetch.Entry{Title: "*owls*"}, LineText, "*owls*"}, // the space is part of the mark
		{fetch.Entry{Title: ">It hoots."}, LineQuote, "It hoots."},
		{fetch.Entry{Title: "##Birds", Attr: attr(fetch.AttrHeading)}, LineHeading, "Birds"},
		{fetch.Entry{Title: "* a  b", Attr: attr(fetch.AttrVerbatim)}, LineVerbatim, "* a  b"},
		{fetch.Entry{Title: "* owls", URI: uri.MustParse("gemini://h/")}, LineLink, "* owls"},
		{fetch.Entry{Title: "owls", Kind: fetch.KindUnknown}, LineLink, "owls"},
	} {
		if kind, text := GemtextLine(tt.entry); kind != tt.kind || text != tt.text {
			t.Errorf("%+v: got %s %q, want %s %q", tt.entry, kind, text, tt.kind, tt.text)
		}
	}
}

// Gemtext has a view of its own by whatever scheme it comes, except as the raw text.
func TestGemtextWithoutEntries(t *testing.T) {
	for _, tt := range []struct {
		format Format
		o      Options
		want   string
	}{
		{Text, Options{Terminal: true, Width: 20}, "# Owls\n  [1] The barn owl\nA paragraph of more\nthan one row.\n"},
		{URIList, Options{}, "gopher://h/0/owls/barn.gmi\n"},
		{Raw, Options{Terminal: true}, "# Owls\n=> barn.gmi The barn owl\nA paragraph of more than one row.\n"},
	} {
		d := document("text/gemini", "# Owls\n=> barn.gmi The barn owl\nA paragraph of more than one row.\n")
		d.URI = uri.MustParse("gopher://h/0/owls/index.gmi")
		d.Base = d.URI
		if got := view(t, d, tt.format, &tt.o); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.format, got, tt.want)
		}
	}
}

// On a narrow terminal the names of files have room: only the size is before them.
func TestNarrowListing(t *testing.T) {
	for width, want := range map[int]string{80: "  [1] 1994-12-20 12:00        71000  a.txt\n  [2] 1994-12-20 12:00               b/\n", 40: "  [1]     71 kB  a.txt\n  [2]            b/\n"} {
		at := time.Date(1994, 12, 20, 12, 0, 0, 0, time.UTC)
		d := listing(fetch.Entry{URI: uri.MustParse("ftp://h/a.txt"), Title: "a.txt", Kind: fetch.KindFile, Size: 71_000, Modified: at},
			fetch.Entry{URI: uri.MustParse("ftp://h/b/"), Title: "b", Kind: fetch.KindDir, Size: -1, Modified: at})
		if got := view(t, d, Text, &Options{Terminal: true, Width: width}); got != want {
			t.Errorf("%d columns: got %q, want %q", width, got, want)
		}
	}
}
