package fragment

import (
	"crypto/md5"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"example.org/deref/fetch"
	"example.org/deref/fetch/charset"
)

func cutOf(t *testing.T, media, text, name string) (string, error) {
	t.Helper()
	d := fetch.NewDocument(io.NopCloser(iotest.OneByteReader(strings.NewReader(text))))
	d.Type, d.Fragment = media, name
	if err := Cut(d); err != nil {
		return "", err
	}
	b, err := io.ReadAll(d.Body)
	return string(b), err
}

func TestText(t *testing.T) {
	const lines = "one\ntwo\r\nthree\rfour\nfünf"
	sum := fmt.Sprintf("%x", md5.Sum([]byte(lines)))
	for _, c := range []struct{ fragment, want string }{
		{"line=0,1", "one\n"},
		{"line=1,3", "two\r\nthree\r"}, // CR, LF and CR LF end lines (RFC 5147 section 2.1.1)
		{"line=,2", "one\ntwo\r\n"},
		{"line=3,", "four\nfünf"},
		{"line=3,100", "four\nfünf"}, // section 4.2.2: a position beyond the end means the end
		{"line=1", "two\r\n"},        // a position: the text that begins there
		{"line=50,60", ""},
		{"char=0,3", "one"},
		{"char=20,22", "fü"}, // characters, not bytes
		{"char=4", "t"},
		{"char=,2", "on"},
		{"line=0,1;length=24", "one\n"},
		{"line=0,1;length=24,UTF-8;md5=" + sum, "one\n"},
		{"line%3D0,1", "one\n"},
	} {
		got, err := cutOf(t, "text/plain; charset=utf-8", lines, c.fragment)
		if got != c.want || err != nil {
			t.Errorf("#%s gives %q, %v, want %q", c.fragment, got, err, c.want)
		}
		encode := func(s string) string {
			b, _ := io.ReadAll(charset.Encode(strings.NewReader(s), "utf-16le"))
			return string(b)
		}
		sum16 := fmt.Sprintf("%x", md5.Sum([]byte(encode(lines))))
		got, err = cutOf(t, "text/plain; charset=utf-16le", encode(lines), strings.ReplaceAll(c.fragment, sum, sum16))
		if got != encode(c.want) || err != nil {
			t.Errorf("#%s of UTF-16 gives %q, %v, want %q", c.fragment, got, err, encode(c.want))
		}
	}
	if got, err := cutOf(t, "text/plain", "", "line=0,1"); got != "" || err != nil {
		t.Errorf("an empty text: got %q, %v, want the empty text", got, err)
	}
	for _, c := range []struct {
		fragment string
		kind     fetch.Kind
	}{
		{"line=5,2", fetch.ErrNotFound},
		{"line=", fetch.ErrNotFound},
		{"line=,", fetch.ErrNotFound},
		{"line=-1", fetch.ErrNotFound},
		{"line=99999999999999999999", fetch.ErrNotFound},
		{"chapter", fetch.ErrNotFound},
		{"line=0,1;size=3", fetch.ErrNotFound},
		{"line=0,1;md5=00", fetch.ErrNotFound},
		{"line=0,1;length=5", fetch.ErrChanged},
		{"line=0,1;md5=00000000000000000000000000000000", fetch.ErrChanged},
	} {
		if _, err := cutOf(t, "text/plain", lines, c.fragment); fetch.KindOf(err) != c.kind {
			t.Errorf("#%s: %v, want %s", c.fragment, err, c.kind)
		}
	}
	for media, c := range map[string][3]string{ // a text, a fragment, and the part: characters of several bytes in any encoding
		"text/plain; charset=shift_jis": {"\x93\xfa\x96\x7b\x8c\xeax\r\n\xb1", "char=1,4;length=7", "\x96\x7b\x8c\xeax"},
		"text/plain; charset=gb18030":   {"\xd6\xd0\x81\x30\x81\x30\xce\xc4", "char=1,3", "\x81\x30\x81\x30\xce\xc4"},
		"text/plain; charset=euc-jp":    {"\x8f\xb0\xa1a\xff\xa4\xa2", "char=0,2", "\x8f\xb0\xa1a"},
		"text/plain":                    {strings.Repeat("\xb5\xda\xd2\xbb\xd5\xc2", 9), "char=1,3", "\xd2\xbb\xd5\xc2"}, // the encoding is a guess
	} {
		if got, err := cutOf(t, media, c[0], c[1]); got != c[2] || err != nil {
			t.Errorf("%s: #%s gives %q, %v, want %q", media, c[1], got, err, c[2])
		}
	}
	if got, err := cutOf(t, "text/plain; charset=iso-8859-1", "a\xfcb", "char=1,3"); got != "\xfcb" || err != nil {
		t.Errorf("Latin-1: got %q, %v; want %q", got, err, "\xfcb")
	}
}

func TestHTML(t *testing.T) {
	for _, c := range []struct{ page, name, want string }{
		{`<p>a<div id=x>b<div>c</div>d</div>e`, "x", `<div id=x>b<div>c</div>d</div>`},
		{`<h1>A</h1>a<h2 id=x>B</h2>b<h3>C</h3>c<h2>D</h2>d`, "x", `<h2 id=x>B</h2>b<h3>C</h3>c`},
		{`<h2>A</h2>a<H2><A NAME="x">B</A></H2>b<h2>C`, "x", `<H2><A NAME="x">B</A></H2>b`}, // an anchor in a heading (HTML 2.0)
		{`<h1>A</h1>a<a name=x></a>b<p>c<h2>D</h2>`, "x", `<a name=x></a>b<p>c`},
		{`<ul><li id=x>a<ul><li>b</ul>c<li>d</ul>`, "x", `<li id=x>a<ul><li>b</ul>c`},
		{`<ul><li>a<li id=x>b</ul>c`, "x", `<li id=x>b`},
		{`<dl><dt id=x>a<dd>b</dl>`, "x", `<dt id=x>a`},
		{`<p id=x>a<b>b</b><p>c`, "x", `<p id=x>a<b>b</b>`},
		{`<table><tr id=x><td>a<td>b<tr><td>c</table>`, "x", `<tr id=x><td>a<td>b`},
		{`<span id=x>a</i>b</span>c`, "x", `<span id=x>a</i>b</span>`}, // an end tag of nothing
		{`<script>"<p id=x>"</script><p id=x>b`, "x", `<p id=x>b`},
		{`<!-- <p id=x> --><p id=x>b`, "x", `<p id=x>b`},
		{`<p id=x>a`, "x", `<p id=x>a`},
		{`<p id="a b">c`, "a%20b", `<p id="a b">c`},
		{`<p id=X>a<p id=x>b`, "x", `<p id=x>b`}, // names are case-sensitive
		{`<input name=x><a name=x>b</a>`, "x", `<a name=x>b</a>`},
		{`<hr id=x>a<h1>`, "x", `<hr id=x>a`},
	} {
		got, err := cutOf(t, "text/html; charset=utf-8", c.page, c.name)
		if got != c.want || err != nil {
			t.Errorf("%s #%s gives %q, %v, want %q", c.page, c.name, got, err, c.want)
		}
	}
	const xhtml = `<title/><p><b id="x">a<script/>b</b>c</p>`
	if got, err := cutOf(t, "application/xhtml+xml", xhtml, "x"); got != `<b id="x">a<script/>b</b>` || err != nil {
		t.Errorf("%s: got %q, %v; want the element b", xhtml, got, err)
	}
	if _, err := cutOf(t, "text/html", "<p>nothing", "x"); fetch.KindOf(err) != fetch.ErrNotFound {
		t.Errorf("an unknown part: got %v, want ErrNotFound", err)
	}
}

// A name is text, whatever the encoding of the page is.
func TestNamesInOtherEncodings(t *testing.T) {
	for _, c := range []struct{ media, page, want string }{
		{"text/html; charset=koi8-r", "<p>\xd2<p id=\xcd\xc9\xd2>\xff<p>", "<p id=\xcd\xc9\xd2>\xff"},
		{"text/html; charset=utf-16le", "<\x00p\x00>\x00<\x00a\x00 \x00i\x00d\x00=\x00<\x048\x04@\x04>\x00b\x00",
			"\xff\xfe<\x00a\x00 \x00i\x00d\x00=\x00<\x048\x04@\x04>\x00b\x00"},
	} {
		if got, err := cutOf(t, c.media, c.page, "%D0%BC%D0%B8%D1%80"); got != c.want || err != nil {
			t.Errorf("%s: got %q, %v, want %q", c.media, got, err, c.want)
		}
		if got, err := cutOf(t, c.media, c.page, "other"); got != "" || fetch.KindOf(err) != fetch.ErrNotFound {
			t.Errorf("%s: got %q, %v, want ErrNotFound", c.media, got, err)
		}
	}
}

// If the document is truncated, so is the part.
func TestTheErrorOfTheWholeComesThrough(t *testing.T) {
	for media, name := range map[string]string{"text/html": "x", "text/plain": "line=1,9"} {
		broken := errors.New("broken")
		d := fetch.NewDocument(io.NopCloser(io.MultiReader(strings.NewReader("<p id=x>\nb"), iotest.ErrReader(broken))))
		d.Type, d.Fragment = media, name
		if err := Cut(d); err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadAll(d.Body); !errors.Is(err, broken) {
			t.Errorf("%s: got %v, want %v", media, err, broken)
		}
	}
}

func TestOtherDocuments(t *testing.T) {
	if _, err := cutOf(t, "image/gif", "GIF89a", "x"); fetch.KindOf(err) != fetch.ErrUnsupported {
		t.Errorf("a picture: got %v, want ErrUnsupported", err)
	}
	if got, err := cutOf(t, "image/gif", "GIF89a", ""); got != "GIF89a" || err != nil {
		t.Errorf("no fragment: got %q, %v; want \"GIF89a\"", got, err)
	}
}

// A part is a substring of the document, whatever the sizes of the reads.
func FuzzCut(f *testing.F) {
	f.Add("<h1 id=x>a</h1><p>b<li id=y>", "x", true)
	f.Add("a\r\nb\rc", "line=1,2;length=5", false)
	f.Fuzz(func(t *testing.T, text, name string, page bool) {
		media := "text/plain"
		if page {
			media = "text/html"
		}
		var got [2]string
		var kinds [2]fetch.Kind
		for i, in := range []io.Reader{strings.NewReader(text), iotest.OneByteReader(strings.NewReader(text))} {
			d := fetch.NewDocument(io.NopCloser(in))
			d.Type, d.Fragment = media, name
			if err := Cut(d); err != nil {
				return
			}
			if charset.IsWide(charset.Source{Type: media}.Label([]byte(text))) {
				return // the part is encoded again
			}
			b, err := io.ReadAll(d.Body)
			got[i], kinds[i] = string(b), fetch.KindOf(err)
			if !strings.Contains(text, got[i]) {
				t.Errorf("got %q, want a substring of %q", got[i], text)
			}
		}
		if got[0] != got[1] || kinds[0] != kinds[1] {
			t.Errorf("got %q %q, %s %s; want got[0] %v and kinds[0] %v", got[0], got[1], kinds[0], kinds[1], got[1], kinds[1])
		}
	})
}
