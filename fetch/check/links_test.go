package check

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

func TestLinks(t *testing.T) {
	for _, c := range []struct{ media, text, want string }{
		{"text/plain", "see http://h/a, and\n<URL:ftp://h/b\n  c> or news:x@y.", "1 http://h/a\n2 ftp://h/bc\n3 news:x@y\n"},
		// RFC 3986 appendix C
		{"text/plain", "a < b\nhttp://h/\n", "2 http://h/\n"},
		{"text/markdown", "[a](b.html) ![p](p.gif \"title\") <http://h/c> http://h/d.\n",
			"1 file:///x/b.html\n1 file:///x/p.gif\n1 http://h/c\n1 http://h/d\n"},
		{"text/markdown", "[a](b_(c).html) [d](<e f>)\n\n[id]: /g 'title'\n", "1 file:///x/b_(c).html\n1 file:///x/e%20f\n3 file:///g\n"},
		{"text/markdown", "`[a](b)` ``c ` [d](e)`` [f](g)\n", "1 file:///x/g\n"},
		{"text/markdown", "```\n[a](b)\n~~~\n[c](d)\n```\n[e](f)\n", "6 file:///x/f\n"},
		{"text/markdown", "[a](http://h/(b) and [c]()\n[x](#part)", "1 http://h/(b)\n2 file:///x/y#part\n"},
		{"text/uri-list", "# comment\nhttp://h/\nbad\n", "0 http://h/\n0 ! bad\n"},
		{"text/html", "<a href=a>b</a><img src=c><a href='http://[/'>", "1 file:///x/a\n1 file:///x/c\n1 ! http://[/\n"},
		{"text/asciidoc", "link:a[]\n", "1 file:///x/a\n"},
		{"text/css", "@import 'a';\n", "1 file:///x/a\n"},
		{"text/gemini", "=> a b\n", "0 file:///x/a\n"},
		{"application/atom+xml", "<feed><link href='a'/></feed>", "1 file:///x/a\n"},
		{"application/xml", "<svg href='a'/>", "not read for links: application/xml, not a feed or sitemap: the root element is <svg>\n"},
		{"text/xml", "<?xml version='1.0'?>\n<?xml-stylesheet type='text/css' href='a.css'?><feed><link href='b'/></feed>", "2 file:///x/a.css\n2 file:///x/b\n"},
		// an element without content may be <title/>
		{"application/xhtml+xml", "<?xml-stylesheet href='a.css'?><head><title/></head>\n<a href='b'/>", "1 file:///x/a.css\n2 file:///x/b\n"},
		{"image/svg+xml", "<svg><title/><image href='a.png'/><a xlink:href='b'/></svg>", "1 file:///x/a.png\n1 file:///x/b\n"},
		{"image/gif", "http://h/", "not read for links: image/gif\n"},
		// comments of the author
		{"text/html", "<a href=a></a> <!-- deref-ignore -->\n<a href=b></a>\n<!-- deref-ignore-next -->\n<img src=c>\n<img src=d>\n", "2 file:///x/b\n5 file:///x/d\n"},
		{"text/markdown", "[a](b)\n<!-- deref-ignore-start -->\n[c](d)\n\nhttp://h/\n<!-- deref-ignore-end -->\n[e](f)\n", "1 file:///x/b\n7 file:///x/f\n"},
		{"text/plain", "http://h/a # deref-ignore\nhttp://h/b\n", "2 http://h/b\n"},
		// the encoding: that of a page, and bytes in a text without a declaration
		{"text/html; charset=koi8-r", "<a href=\xcd><a href='http://h/\xcd?\xcd'>", "1 file:///x/%D0%BC\n1 http://h/%D0%BC?%CD\n"},
		{"text/html", "\xff\xfe<\x00a\x00 \x00h\x00r\x00e\x00f\x00=\x00<\x04>\x00", "1 file:///x/%D0%BC\n"},
		{"text/plain", "see http://h/\xcd\xc9\nhttp://h/\x93\xfa\x96{\n", "1 http://h/%CD%C9\n2 http://h/%93%FA%96%7B\n"},
		{"text/plain; charset=koi8-r", "see http://h/\xcd\xc9", "1 http://h/%D0%BC%D0%B8\n"},
		{"text/plain; charset=koi8-r; odd", "see http://h/\xcd\xc9", "1 http://h/%D0%BC%D0%B8\n"}, // see charset.LabelOf
		{"text/plain", "\xfe\xff\x00n\x00e\x00w\x00s\x00:\x00a\x00@\x00b", "1 news:a@b\n"},
		{"text/uri-list", "http://h/\xe9\nhttp://мир/мир\n", "0 http://h/%E9\n0 http://xn--h1ahn/%D0%BC%D0%B8%D1%80\n"},
		{"text/markdown", "[a](\xe9) http://h/мир", "1 file:///x/%E9\n1 http://h/%D0%BC%D0%B8%D1%80\n"},
	} {
		d := fetch.NewDocument(io.NopCloser(strings.NewReader(c.text)))
		d.URI, d.Type = uri.MustParse("file:///x/y"), c.media
		d.Base = d.URI
		if got := show(t, d); got != c.want {
			t.Errorf("%s %q gives\n%swant\n%s", c.media, c.text, got, c.want)
		}
	}
}

// What is too long to be read is described in our own words, in every format.
func TestTooLongToBeRead(t *testing.T) {
	long := strings.Repeat("a", 5<<20)
	for media, want := range map[string]string{
		"text/html":     "a tag or text of the page is longer than 4194304 bytes",
		"text/xml":      "a tag or text of the page is longer than 4194304 bytes",
		"text/plain":    "a line is longer than 1048576 bytes",
		"text/uri-list": "a line is longer than 65536 bytes",
		"text/gemini":   "a line is longer than 65536 bytes",
		"text/markdown": "a line is longer than 1048576 bytes",
	} {
		d := fetch.NewDocument(io.NopCloser(strings.NewReader("<a href='" + long + "'>")))
		d.URI, d.Type = uri.MustParse("file:///x/y"), media
		var last error
		for _, err := range Links(d) {
			last = err
		}
		if last == nil || last.Error() != want || fetch.KindOf(last) != fetch.ErrLimit {
			t.Errorf("%s: got %v (%s), want %s (%s)", media, last, fetch.KindOf(last), want, fetch.ErrLimit)
		}
	}
}

func show(t *testing.T, d *fetch.Document) string {
	var b strings.Builder
	for l, err := range Links(d) {
		switch {
		case err != nil:
			fmt.Fprintln(&b, err)
		case l.Err != nil:
			fmt.Fprintf(&b, "%d ! %s\n", l.Line, l.Ref)
		default:
			fmt.Fprintf(&b, "%d %s\n", l.Line, l.URI)
		}
	}
	return b.String()
}

// In any text, links are found in the order of lines, and each has a URI or an error.
func FuzzLinks(f *testing.F) {
	f.Add("[a](<b>) `c` http://h/ <URL:x\ny>", true)
	f.Add("```\n[a](b)\n````", true)
	f.Fuzz(func(t *testing.T, text string, md bool) {
		d := fetch.NewDocument(io.NopCloser(strings.NewReader(text)))
		d.URI, d.Type = uri.MustParse("file:///x/y"), "text/plain"
		if d.Base = d.URI; md {
			d.Type = "text/markdown"
		}
		line, most := 0, 1+strings.Count(text, "\n")
		for l, err := range Links(d) {
			if err != nil {
				return
			}
			if l.Line < line || l.Line > most {
				t.Fatalf("got line %d after %d, want Line >= %v and Line <= %v", l.Line, line, line, most)
			}
			line = l.Line
			if (l.Err == nil) == l.URI.IsZero() {
				t.Fatalf("got %+v, want a URI or an error", l)
			}
		}
	})
}

func TestEscapedIsXML(t *testing.T) {
	for _, s := range []string{"", "a<b>&\"'", "a\tb\nc\rd", "\x00\x01\x1f\x7f\u0085", "\ufffe\uffff\ufffd", "\xff\xc3", "é\U0001f600"} {
		var b strings.Builder
		if err := xml.EscapeText(&b, []byte(s)); err != nil || escapeXML(s) != b.String() {
			t.Errorf("%q: got %q, want %q as from encoding/xml", s, escapeXML(s), b.String())
		}
	}
}
