package render

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// article is an entry of an overview.
func article(id, subject string, references ...string) fetch.Entry {
	return fetch.Entry{Kind: fetch.KindMessage, URI: uri.MustParse("news:" + id), Title: subject, Size: -1,
		Attr: map[string][]string{"message-id": {"<" + id + ">"}, "references": references, "from": {"A <a@b>"}}}
}

func TestThreads(t *testing.T) {
	page := view(t, listing(
		article("1@h", "one"),
		article("2@h", "two", "<1@h>"),
		article("3@h", "three", "<0@h> <1@h> <2@h>"), // the nearest that is there
		article("4@h", "four", "<4@h> <5@h>"),        // an entry that refers to itself or to a later one does not make a cycle
		article("5@h", "five", "<4@h>"),
		article("6@h", "six", "<nobody@h>"),
	), HTML, nil)
	checkPage(t, page)
	var b strings.Builder
	depth := 0
	for line := range strings.Lines(page) {
		switch {
		case strings.HasPrefix(line, "<ul"):
			depth++
		case strings.HasPrefix(line, "</ul"):
			depth--
		case strings.HasPrefix(line, "<li>"):
			_, rest, _ := strings.Cut(line, "\">")
			name, _, _ := strings.Cut(rest, "<")
			fmt.Fprintf(&b, "%d %s,", depth, name)
		}
	}
	if got, want := b.String(), "1 one,2 two,3 three,1 four,2 five,1 six,"; got != want {
		t.Errorf("got %s, want %s in\n%s", got, want, page)
	}
}

// TestDeepThreads: a very deep thread is shown with a bounded depth.
func TestDeepThreads(t *testing.T) {
	var list []fetch.Entry
	for i := range 3 * threadOf / 2 {
		list = append(list, article(fmt.Sprintf("%d@h", i+1), "s", fmt.Sprintf("<%d@h>", i)))
	}
	page := view(t, listing(list...), HTML, nil)
	checkPage(t, page)
	if got := strings.Count(page, "<li>"); got != len(list) {
		t.Errorf("got %d articles, want %d", got, len(list))
	}
}

func TestMessagesAsHTML(t *testing.T) {
	const mail = "From: =?iso-8859-1?q?Andr=E9?= <a@b>\r\nSubject: <b>\r\nMIME-Version: 1.0\r\n" +
		"Content-Type: multipart/mixed; boundary=x\r\n\r\n" +
		"--x\r\nContent-Type: text/plain; charset=iso-8859-1\r\n\r\ncaf\xe9 news:a@b\r\n" +
		"--x\r\nContent-Type: text/html\r\n\r\n<script>alert(1)</script><p>hello\r\n" +
		"--x\r\nContent-Type: image/gif; name=\"p\\\"><script>.gif\"\r\nContent-Transfer-Encoding: base64\r\n\r\nR0lG\r\n--x--\r\n"
	frame := func(w io.Writer, r io.Reader, _ bool, _ uri.Resolver, _ func(uri.URI) string, images bool) error {
		if images {
			t.Error("a message may load its images, want not")
		}
		b, err := io.ReadAll(r)
		fmt.Fprintf(w, "<p title=\"%d\x00\">", len(b))
		return err
	}
	page := view(t, document("message/rfc822", mail), HTML, &Options{Foreign: frame,
		Part: func(n int) string { return fmt.Sprint("/part/", n) }})
	checkPage(t, page)
	for _, want := range []string{"<dd>André &lt;a@b&gt;</dd>", "<dd>&lt;b&gt;</dd>", `café <a href="news:a@b">news:a@b</a>`,
		`<a href="/part/2">Part 2</a>`,
		`<iframe sandbox="allow-top-navigation-by-user-activation" title="Part 2" srcdoc="`, "p title=&quot;33\uFFFD&quot;", "3 bytes"} {
		if !strings.Contains(page, want) && !strings.Contains(page, strings.ReplaceAll(want, "&lt;p", "<p")) {
			t.Errorf("want %s in\n%s", want, page)
		}
	}
}

func TestLooks(t *testing.T) {
	entry := func(e fetch.Entry) fetch.Entry {
		e.URI, e.Title = uri.MustParse("x://h/"), "t"
		return e
	}
	for _, row := range []struct {
		e    fetch.Entry
		want []Markup
	}{
		{fetch.Entry{Kind: fetch.KindFile, Size: 7, Type: "text/plain; charset=x"}, []Markup{"<data value=\"7\">7\u00a0bytes</data>", "", "text/plain"}},
		{fetch.Entry{Kind: fetch.KindDir, Size: -1}, []Markup{"directory"}},
		{fetch.Entry{Kind: fetch.KindSearch, Size: -1}, []Markup{"search"}},
		{fetch.Entry{Kind: fetch.KindFile, Size: 9, Type: "text/html", Attr: map[string][]string{"score": {"1000"}}},
			[]Markup{"1000", "<data value=\"9\">9\u00a0bytes</data>", "text/html"}},
		{fetch.Entry{Kind: fetch.KindGroup, Size: -1, Attr: map[string][]string{"articles": {"4"}, "description": {"a<b"}}},
			[]Markup{"4", "a&lt;b"}},
		{fetch.Entry{Kind: fetch.KindEntry, Size: -1, Attr: map[string][]string{"oid": {"1.3"}, "type": {"INTEGER"}, "value": {"5"}}},
			[]Markup{"INTEGER", "5"}},
		{fetch.Entry{Kind: fetch.KindEntry, Size: -1, Attr: map[string][]string{"oid": {"1.3"}, "type": {"OCTET STRING"}, "value": {"\x00\x1a\xff"}}},
			[]Markup{"OCTET STRING", "00 1a ff"}},
	} {
		e := entry(row.e)
		if got := layoutOf(e).values(e); !slices.Equal(got, row.want) {
			t.Errorf("%v: got %q, want %q", row.e, got, row.want)
		}
		checkPage(t, view(t, listing(e, fetch.Entry{Title: "a note", Kind: fetch.KindText}), HTML, nil))
	}
}

func TestMessagesWithinAsHTML(t *testing.T) {
	const mail = "Subject: outer\r\nContent-Type: multipart/mixed; boundary=w\r\n\r\n--w\r\n" +
		"Content-Type: message/rfc822; name=\"<b>.eml\"\r\n\r\n" +
		"Subject: <i>inner\r\nContent-Type: multipart/mixed; boundary=x\r\n\r\n--x\r\n\r\nhello\r\n--x\r\nContent-Type: image/gif\r\n\r\n" +
		"GIF\r\n" +
		"\r\n--w\r\nContent-Type: text/plain\r\n\r\nafter it\r\n--w--\r\n"
	page := view(t, document("message/rfc822", mail), HTML, &Options{Part: func(n int) string { return fmt.Sprint("/part/", n) }})
	checkPage(t, page)
	at := 0
	for _, want := range []string{"<dd>outer</dd>", `<a href="/part/1">Part 1, &lt;b&gt;.eml</a> <small>message/rfc822</small>`,
		"<blockquote>", "<dd>&lt;i&gt;inner</dd>",
		"hello", "<h2>Part 1/2 <small>image/gif", "3 bytes", "broken: unexpected EOF", "</blockquote>", `<a href="/part/2">Part 2</a>`,
		"after it"} {
		i := strings.Index(page[at:], want)
		if i < 0 {
			t.Errorf("want %s after byte %d in\n%s", want, at, page)
			continue
		}
		at += i
	}
}

// All arguments are escaped that are not HTML, whatever their type is.
func TestHTMLf(t *testing.T) {
	got := HTMLf("<a href=\"%s\">%s</a> %s %s %s %d", `"><b>`, HTMLf("<i>%s</i>", "a&b"), errors.New("<x>"), fetch.Kind("<k>"), []string{"<l>"}, 7)
	if want := Markup("<a href=\"&#34;&gt;&lt;b&gt;\"><i>a&amp;b</i></a> &lt;x&gt; &lt;k&gt; [&lt;l&gt;] 7"); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// A date has no more digits than are known.
func TestTimeHTML(t *testing.T) {
	at := time.Date(1994, 12, 20, 12, 30, 15, 0, time.UTC)
	for _, tt := range []struct {
		precision time.Duration
		unknown   bool
		want      Markup
	}{
		{24 * time.Hour, false, `<time datetime="1994-12-20">1994-12-20</time>`},
		{time.Minute, false, `<time datetime="1994-12-20T12:30Z">1994-12-20<span class="opt"> 12:30</span></time>`},
		{time.Minute, true, `<time datetime="1994-12-20T12:30">1994-12-20<span class="opt"> 12:30</span></time>`},
		{time.Second, false, `<time datetime="1994-12-20T12:30:15Z">1994-12-20<span class="opt"> 12:30</span></time>`},
	} {
		if got := dateHTML(fetch.Entry{Modified: at, Precision: tt.precision, ZoneUnknown: tt.unknown}); got != tt.want {
			t.Errorf("%v, %t: got %s, want %s", tt.precision, tt.unknown, got, tt.want)
		}
	}
}

func TestBytes(t *testing.T) {
	for n, want := range map[int64]string{0: "0 bytes", 1: "1 byte", 999: "999 bytes", 1000: "1.0\u00a0kB", 71_000: "71\u00a0kB", 999_600: "1.0\u00a0MB", 3_456_789: "3.5\u00a0MB",
		1 << 62: "4.6\u00a0EB"} {
		if got := Bytes(n); got != want {
			t.Errorf("%d: got %q, want %q", n, got, want)
		}
	}
}

// Headings of gemtext are headings of the page, below its own.
func TestHeadingsAmongEntries(t *testing.T) {
	d := listing(
		fetch.Entry{Kind: fetch.KindText, Title: "## Birds & <b>", Size: -1, Attr: map[string][]string{"heading": {"2"}}},
		fetch.Entry{Kind: fetch.KindLink, URI: uri.MustParse("gemini://h/owl"), Title: "The owl", Size: -1},
		fetch.Entry{Kind: fetch.KindText, Title: "# End", Size: -1, Attr: map[string][]string{"heading": {"<script>"}}},
	)
	d.Type = "text/gemini"
	got := view(t, d, HTML, nil)
	wantAll(t, got, "<h2>Birds &amp; &lt;b&gt;</h2>\n", "</ul>\n<h2>End</h2>\n")
}
