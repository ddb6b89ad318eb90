package links

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"example.org/deref/uri"
)

type format = func(io.Reader, uri.Resolver) iter.Seq2[Link, error]

// lined writes the links of a text as "LINE URI (TITLE)", one per line, with "!" for an invalid reference.
func lined(read format, text string) string {
	var b strings.Builder
	for l, err := range read(strings.NewReader(text), uri.Resolver{Base: uri.MustParse("file:///x/y")}) {
		switch {
		case err != nil && l.Ref == "":
			fmt.Fprintf(&b, "%v\n", err)
			continue
		case err != nil:
			fmt.Fprintf(&b, "%d ! %s", l.Line, l.Ref)
		default:
			fmt.Fprintf(&b, "%d %s", l.Line, l.URI)
		}
		if l.Title != "" {
			fmt.Fprintf(&b, " (%s)", l.Title)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// A formatCase is a text and its links as lined writes them.
type formatCase struct{ text, want string }

func testFormat(t *testing.T, read format, cases []formatCase) {
	t.Helper()
	for _, c := range cases {
		if got := lined(read, c.text); got != c.want {
			t.Errorf("%q\ngot\n%swant\n%s", c.text, got, c.want)
		}
	}
}

func markdownCases() []formatCase {
	return []formatCase{
		{"[a](b.html) ![p](p.gif \"title\") <http://h/c> http://h/d.\n", "1 file:///x/b.html (a)\n1 file:///x/p.gif (p)\n1 http://h/c\n1 http://h/d\n"},
		{"[a](b_(c).html) [d](<e f>)\n\n[id]: /g 'title'\n", "1 file:///x/b_(c).html (a)\n1 file:///x/e%20f (d)\n3 file:///g\n"},
		{"[a](b.md#none)", "1 file:///x/b.md#none (a)\n"},
		// footnotes (GitHub): the label is not a link, the text may have some
		{"a[^1] [b](c)\n\n[^1]: see [d](e) or http://h/.\n", "1 file:///x/c (b)\n3 file:///x/e (d)\n3 http://h/\n"},
		{"[note]: this is text\n", ""},
		{"[a]:\n  b\n[c]: <d> \"t\"\n", "1 file:///x/b\n3 file:///x/d\n"},
		// comments, also over lines, but not in code
		{"<!-- [a](b) --> [c](d) <!--\n[e](f)\n\nhttp://h/\n--> [g](h)\n", "1 file:///x/d (c)\n5 file:///x/h (g)\n"},
		{"`<!--` [a](b)\n", "1 file:///x/b (a)\n"},
		// code: spans, also over lines, fences, indented text, elements
		{"`[a](b)` ``c ` [d](e)`` [f](g)\n", "1 file:///x/g (f)\n"},
		{"`[a](b)\n[c](d)` \\`[e](f)`\n", "2 file:///x/f (e)\n"},
		{"```\n[a](b)\n~~~\n[c](d)\n```\n[e](f)\n", "6 file:///x/f (e)\n"},
		{"````\n```\n[a](b)\n````\n[c](d)\n~~~ sh\n[e](f)\n~~~\n", "5 file:///x/d (c)\n"},
		{"text\n\n    [a](b)\n\n[c](d)\n    [e](f)\n", "5 file:///x/d (c)\n6 file:///x/f (e)\n"},
		{"- item\n\n    [a](b)\n\n        [code](x)\n\n1. [c](d)\n   - [e](f)\n", "3 file:///x/b (a)\n7 file:///x/d (c)\n8 file:///x/f (e)\n"},
		{"<pre>\n[a](b)\n</pre>\n[c](d)\n", "4 file:///x/d (c)\n"},
		{"1. ```sh\n   [a](b)\n   ```\n[c](d)\n- * ~~~\n    [e](f)\n    ~~~\n\n[g](h)\n", "4 file:///x/d (c)\n9 file:///x/h (g)\n"},
		{"<prefix>/bin [a](b)\n<script-tag>\n\n[c](d)\n<STYLE>\n[e](f)\n", "1 file:///x/b (a)\n4 file:///x/d (c)\n"},
		// links over lines, nested, escaped, not closed, quoted
		{"[a\nb](c\n'd')\n> [e\n> f](g)\n", "1 file:///x/c (a b)\n4 file:///x/g (e f)\n"},
		{"[![p](q.png)](r)", "1 file:///x/r (p)\n1 file:///x/q.png (p)\n"},
		{`\[a](b) [c](d\_e) [f](g&amp;h)`, "1 file:///x/d_e (c)\n1 file:///x/g&h (f)\n"},
		{"[a](http://h/(b) and [c]()\n[x](#part)", "1 http://h/(b)\n2 file:///x/y#part (x)\n"},
		{"[a](b c) x](d)\n", ""},
		{"<a href='b'>c</a> <img\nsrc=d> <em>\n\n# [e](f)\n", "1 file:///x/b\n1 file:///x/d\n4 file:///x/f (e)\n"},
		{"[a](http://[/)\r\n| [b](c) |\r\n", "1 ! http://[/ (a)\n2 file:///x/c (b)\n"},
	}
}

func TestMarkdown(t *testing.T) { testFormat(t, Markdown, markdownCases()) }

func asciiDocCases() []formatCase {
	return []formatCase{
		{"See http://h/a[label, window=_blank], http://h/b.\n", "1 http://h/a (label)\n1 http://h/b\n"},
		{"link:a.pdf[A file] image:i.png[] include::part.adoc[]\nimage::j.png[J]\n",
			"1 file:///x/a.pdf (A file)\n1 file:///x/i.png\n1 file:///x/part.adoc\n2 file:///x/j.png (J)\n"},
		{"<<part>> <<other.adoc#p,Other>> <<other#>> <<A Title>> xref:b.adoc[B] xref:c[C]\n",
			"1 file:///x/y#part\n1 file:///x/other.adoc#p (Other)\n1 file:///x/other.adoc\n1 file:///x/b.adoc (B)\n1 file:///x/y#c (C)\n"},
		{":site: http://h\n:imagesdir: img\n\n{site}/a[A] {none}/b[B] link:{site}/c[C] image::d.png[]\n",
			"1 http://h\n4 http://h/a (A)\n4 http://h/c (C)\n4 file:///x/img/d.png\n"},
		{"// http://h/a[]\n////\nhttp://h/b[]\n////\nhttp://h/c[]\n", "5 http://h/c\n"},
		{"----\nhttp://h/a[]\n----\n....\nhttp://h/b\n....\n[source,sh]\nhttp://h/c\n\n http://h/d\n\n * http://h/e[E]\n", "12 http://h/e (E)\n"},
		{"```ruby\nhttp://h/a\n```\nhttp://h/b\n", "4 http://h/b\n"},
		{"\\http://h/a[x] +++http://h/b[y]+++ `+http://h/c+` http://h/d\n", "1 http://h/d\n"},
		{"link:a[b link:c", ""},
		// the values of attributes do not grow
		{":a: " + strings.Repeat("x", 3000) + "\n:b: {a}{a}\n\nlink:{a}[A] link:{b}[B]\n", "4 file:///x/" + strings.Repeat("x", 3000) + " (A)\n"},
	}
}

func TestAsciiDoc(t *testing.T) { testFormat(t, AsciiDoc, asciiDocCases()) }

func xmlCases() []formatCase {
	return []formatCase{
		{"<?xml version=\"1.0\"?>\n<rss><channel><link>http://h/</link><item><title>One</title>\n<link> http://h/1 </link><guid>http://h/2</guid>\n" +
			"<guid isPermaLink=\"false\">http://h/3</guid><enclosure url=\"4.mp3\"/><description>&lt;a href=\"5\"&gt;five&lt;/a&gt;</description>\n" +
			"<content:encoded><![CDATA[\n<img src=6>]]></content:encoded></item></channel></rss>",
			"2 http://h/\n3 http://h/1 (One)\n3 http://h/2 (One)\n4 file:///x/4.mp3 (One)\n4 file:///x/5 (five)\n6 file:///x/6\n"},
		{`<feed xmlns="http://www.w3.org/2005/Atom" xml:base="http://h/d/"><id>http://h/id</id><link rel="self" href="a"/><entry xml:base="e/">` +
			`<title>T &amp; U</title><link href="b"/><content src="c"/></entry><link href="f"/><author><uri>g</uri></author></feed>`,
			"1 http://h/d/a\n1 http://h/d/e/b (T & U)\n1 http://h/d/e/c (T & U)\n1 http://h/d/f (T & U)\n1 http://h/d/g (T & U)\n"},
		{"<feed><entry><title>T</title><content type='xhtml' xml:base='http://h/d/'><div>\n<a href='a'>the <b>link</b></a><img\nsrc='i'/><source url='no'/>" +
			"<details><summary>see http://h/no</summary></details></div></content><link href='b'/></entry></feed>",
			"2 http://h/d/a (the link)\n2 http://h/d/i\n3 file:///x/b (T)\n"},
		{"<!-- <urlset> --><urlset>\n<url><loc>\nhttp://h/a?b&amp;c</loc><image:image><image:loc>http://h/i</image:loc></image:image>" +
			"<video:video><video:player_loc>http://h/v</video:player_loc></video:video><xhtml:link rel='alternate' href='http://h/de'/></url></urlset>",
			"3 http://h/a?b&c\n3 http://h/i\n3 http://h/v\n3 http://h/de\n"},
		{"<sitemapindex><sitemap><loc>http://h/s.xml</loc></sitemap></sitemapindex>", "1 http://h/s.xml\n"},
		{"<svg><a href='x'/></svg>", "not a feed or sitemap: the root element is <svg>\n"},
		{"<rss><link>http://[/</link><link>open", "1 ! http://[/\n"},
		{"<?xml-stylesheet type='text/xsl'\nhref='a.xsl'?><?xml-model href='m'?>\n<rss><title/><Comments a='>'>b</Comments></rss>", "1 file:///x/a.xsl\n3 file:///x/b\n"},
	}
}

func TestXML(t *testing.T) { testFormat(t, XML, xmlCases()) }

func cssCases() []formatCase {
	return []formatCase{
		{"@import 'a.css';\n@import url(b.css) screen;\nbody { background: url( \"c.png\" ) , URL(d.png) }\n",
			"1 file:///x/a.css\n2 file:///x/b.css\n3 file:///x/c.png\n3 file:///x/d.png\n"},
		{"/* url(a) */ @namespace url(http://h/ns); a::before { content: 'url(b)' } b { x: url(#c); y: url() }\n", ""},
		{"a { b: url(c\\20 d\\).png); e: image-set('f.png' 1x, \"g.png\" type('image/png')); x: 'y' }\n", "1 file:///x/c%20d).png\n1 file:///x/f.png\n1 file:///x/g.png\n"},
		{"@import 'a\\\r\nb.css';\r\na { b: url(\fc\\20\r\nd.png); e: 'f\r, url(g) }", "1 file:///x/ab.css\n3 file:///x/c%20d.png\n4 file:///x/g\n"},
		{"@font-face { src: url(a.woff2) format('woff2'), local('b') }\nc { d: url(data:,x) }\nurl(open", "1 file:///x/a.woff2\n2 data:,x\n"},
	}
}

func TestCSS(t *testing.T) { testFormat(t, CSS, cssCases()) }

// TestFormatsOfBrokenReaders: a read error comes last, and once.
func TestFormatsOfBrokenReaders(t *testing.T) {
	broken := errors.New("broken")
	for name, read := range map[string]format{"HTML": HTML, "Markdown": Markdown, "AsciiDoc": AsciiDoc, "XML": XML, "CSS": CSS} {
		var got []error
		for _, err := range read(io.MultiReader(strings.NewReader("<rss>\n"), iotest.ErrReader(broken)), uri.Resolver{}) {
			got = append(got, err)
		}
		if len(got) != 1 || !errors.Is(got[0], broken) {
			t.Errorf("%s: got %v, want %v alone", name, got, broken)
		}
	}
}

func TestMarkdownAnchors(t *testing.T) {
	text := "# A Title, with `code` & [link](x)\n\nSet\next\n===\n```\n# no\n```\n<!-- # no -->\n## Same\n## Same\n### C {#own}\n<a name=\"old\"></a> <p id=p>\n# 1. Über_x.y\n"
	got := slices.Collect(func(yield func(string) bool) {
		for name := range MarkdownAnchors(strings.NewReader(text)) {
			if !yield(name) {
				return
			}
		}
	})
	for _, want := range []string{"a-title-with-code--link", "a-title-with-code-link", "ext", "same", "same-1", "own", "c", "old", "p", "1-über_xy", "über_x.y"} {
		if !slices.Contains(got, want) {
			t.Errorf("got %q, want %q, too", got, want)
		}
	}
	if slices.Contains(got, "no") {
		t.Errorf("got %q, want nothing from code and comments", got)
	}
}

func TestAnchors(t *testing.T) {
	for _, c := range []struct {
		anchors    func(io.Reader) iter.Seq2[string, error]
		text, want string
	}{
		{HTMLAnchors, "<a name=a></a><p id=b name=c><br id='d'/><!-- <p id=e> --></p id=f>", "a b d "},
		{AsciiDocAnchors, "= Doc\n:idprefix: id-\n:idseparator: -\n== A Section, two\n[[own]]\n[#short.role]\nanchor:x[]\n----\n== no\n----\n",
			"_doc id-a-section-two own short x "},
	} {
		got := ""
		for name := range c.anchors(strings.NewReader(c.text)) {
			got += name + " "
		}
		if got != c.want {
			t.Errorf("%q: got %q, want %q", c.text, got, c.want)
		}
	}
}

// fuzzFormat: a link has a URI or an error, and a line of the text. A line that begins many things and ends none takes time in proportion to its
// length (promise 5): .ci/linear repeats the seeds.
func fuzzFormat(f *testing.F, read format, cases []formatCase) {
	for _, c := range cases {
		f.Add(c.text)
	}
	for _, beginning := range []string{"[a](b", "](", "[![a](b", "[a](<b", "[a]: b](", "](b[", "x](b", "`", "``` `` ` ", "<a \"", "<<", "[", "<!--",
		"link:a[", "{a}[", "{", "+++", "<![CDATA[", "url(", "url('", "/*", "<a b='", "&", "(", "http:", "\\"} {
		f.Add(beginning)
	}
	f.Fuzz(func(t *testing.T, text string) {
		most := 1 + strings.Count(text, "\n")
		for l, err := range read(strings.NewReader(text), uri.Resolver{Base: uri.MustParse("file:///x/y")}) {
			if l.Ref == "" && err != nil {
				return
			}
			if (err == nil) == l.URI.IsZero() {
				t.Fatalf("got %+v, %v; want a URI or an error", l, err)
			}
			if l.Line < 1 || l.Line > most {
				t.Fatalf("got line %d for %q, want 1 to %d", l.Line, l.Ref, most)
			}
		}
	})
}

func FuzzMarkdown(f *testing.F) { fuzzFormat(f, Markdown, markdownCases()) }
func FuzzAsciiDoc(f *testing.F) { fuzzFormat(f, AsciiDoc, asciiDocCases()) }
func FuzzXML(f *testing.F)      { fuzzFormat(f, XML, xmlCases()) }
func FuzzCSS(f *testing.F)      { fuzzFormat(f, CSS, cssCases()) }

func FuzzAnchors(f *testing.F) {
	f.Add("# a {#b}\n<a name=c>\n[[d]]")
	f.Fuzz(func(t *testing.T, text string) {
		for name, err := range MarkdownAnchors(strings.NewReader(text)) {
			if name == "" && err == nil {
				t.Fatal("got an empty name of Markdown, want none")
			}
		}
		for name, err := range AsciiDocAnchors(strings.NewReader(text)) {
			if name == "" && err == nil {
				t.Fatal("got an empty name of AsciiDoc, want none")
			}
		}
	})
}
