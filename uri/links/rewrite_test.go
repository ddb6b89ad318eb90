package links_test

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"golang.org/x/text/encoding/japanese"

	"example.org/deref/uri"
	"example.org/deref/uri/links"
)

// upper changes references to upper case, except those that begin with "keep".
func upper(l links.Link) (string, bool) {
	return strings.ToUpper(l.Ref), !strings.HasPrefix(l.Ref, "keep")
}

type rewriter = func(io.Writer, io.Reader, uri.Resolver, func([]byte) []byte, func(links.Link) (string, bool)) error

// rewrittenBy returns what rewrite makes of the document http://h/d/x.
func rewrittenBy(t testing.TB, rewrite rewriter, in string, text func([]byte) []byte, to func(links.Link) (string, bool)) string {
	t.Helper()
	var out bytes.Buffer
	if err := rewrite(&out, strings.NewReader(in), uri.Resolver{Base: uri.MustParse("http://h/d/x")}, text, to); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func rewritten(t testing.TB, in string, to func(links.Link) (string, bool)) string {
	t.Helper()
	return rewrittenBy(t, links.Rewrite, in, nil, to)
}

func TestRewrite(t *testing.T) {
	for _, test := range []struct{ in, want string }{
		{`<a href="b.html">b.html</a>`, `<a href="B.HTML">b.html</a>`},
		{`<A  HREF = 'b' Class=c >x</A >`, `<A  HREF = 'B' Class=c >x</A >`},
		{`<a href=b/c>x`, `<a href="B/C">x`},
		{`<a href=keep id="&quot;">`, `<a href=keep id="&quot;">`},
		{`<img src="a&amp;b" alt="&lt;">`, `<img src="A&amp;B" alt="&lt;">`},
		{`<img src=a&amp;b/>`, `<img src="A&amp;B/">`},
		{`<img src="a" srcset="a 1x, keep 2x,b">`, `<img src="A" srcset="A 1x, keep 2x,B">`},
		{`<meta http-equiv=refresh content="5; url=b">`, `<meta http-equiv=refresh content="5; url=B">`},
		{`<a href=" b&#10;c ">`, `<a href=" BC ">`}, // white space around is not part of it; line ends within are dropped
		{`<a href="a" href="b">`, `<a href="A" href="b">`},
		{`<metA http-equiv=refresh Content=00,url=00>`, `<metA http-equiv=refresh Content="00,url=00">`}, // capitals of 00
		{`<meta http-equiv=refresh content="5; url=5">`, `<meta http-equiv=refresh content="5; url=5">`},
		{`<meta http-equiv=refresh content="5;url=u">`, `<meta http-equiv=refresh content="5;url=U">`},
		{`<meta http-equiv=refresh content="5;url='u'l">`, `<meta http-equiv=refresh content="5;url=&#39;U&#39;l">`},
		{`<img srcset="keep1 x,x 2x, x">`, `<img srcset="keep1 x,X 2x, X">`},
		{`<img srcset="keepa 2x,a">`, `<img srcset="keepa 2x,A">`},
		{`<a ping="keepb b">`, `<a ping="keepb B">`},
		{`<object archive="keepc,c d">`, `<object archive="keepc,C D">`},
		{"<body bac\u212aground=a background=b>", "<body bac\u212aground=a background=\"B\">"}, // KELVIN SIGN is not a k
		{`<a name=href href="a">`, `<a name=href href="A">`},
		{`<a/href="a"/b=c>`, `<a/href="A"/b=c>`},
		{`<a ="x" href='a"b'>`, `<a ="x" href='A&#34;B'>`},
		{`<!-- <a href="a"> --><script>'<a href="b">'</script><title><a href="c"></title>`,
			`<!-- <a href="a"> --><script>'<a href="b">'</script><title><a href="c"></title>`},
		{"a\x00b\r\nc\xff<p\nclass>&nbsp;&bogus;<a href='a'>\r", "a\x00b\r\nc\xff<p\nclass>&nbsp;&bogus;<a href='A'>\r"},
		{`<a href="a?x&copy=1&amp;y">`, `<a href="A?X&amp;COPY=1&amp;Y">`}, // HTML Standard §13.2.5.73: no reference before "="
		{`<a href="a`, `<a href="a`}, // no tag at all
		{`<a href="http://[bad">x</a><a href=b>`, `<a href="http://[bad">x</a><a href="B">`},
		{`<base href="/e/"><object codebase="a" data="b" archive="c,d"></object>`,
			`<base href="/E/"><object codebase="A" data="B" archive="C,D"></object>`},
	} {
		if got := rewritten(t, test.in, upper); got != test.want {
			t.Errorf("%q\nbecomes %q\nwant    %q", test.in, got, test.want)
		}
	}
}

// TestRewriteEmpty: an attribute that is empty or has no value is a reference. Of several attributes with one name, only the first is.
func TestRewriteEmpty(t *testing.T) {
	for _, test := range []struct{ in, want string }{
		{`<a href="">`, `<a href="new">`},
		{`<a href>`, `<a href="new">`},
		{`<a href=>`, `<a href="new">`},
		{`<a href = >`, `<a href = "new">`},
		{`<a href id=x>`, `<a href="new" id=x>`},
		{`<a href href=b>`, `<a href="new" href=b>`},
		{`<a href/>`, `<a href="new"/>`},
	} {
		if got := rewritten(t, test.in, func(links.Link) (string, bool) { return "new", true }); got != test.want {
			t.Errorf("%q becomes %q, want %q", test.in, got, test.want)
		}
	}
}

// TestRewriteContains: a new reference is read back completely, also next to others in its attribute.
func TestRewriteContains(t *testing.T) {
	for _, test := range []struct{ in, ref, want string }{
		{`<meta http-equiv=refresh content="0;url='x'">`, "it's", "it%27s"},
		{`<meta http-equiv=refresh content="0;url=x">`, "'s", "%27s"},
		{`<img srcset="x 1x">`, ",a,b,", "%2Ca,b%2C"},
		{`<img srcset="x">`, ",", "%2C"},
		{`<object archive="x">`, "a,b", "a%2Cb"},
		{`<a href="x">`, "a,b'c", "a,b'c"},
	} {
		out := rewritten(t, test.in, func(links.Link) (string, bool) { return test.ref, true })
		var got []string
		rewritten(t, out, func(l links.Link) (string, bool) { got = append(got, l.Ref); return "", false })
		if len(got) != 1 || got[0] != test.want {
			t.Errorf("%q with %q becomes %q, whose references are %q, want %q", test.in, test.ref, out, got, test.want)
		}
	}
}

// FuzzRewrite: without changes, a document is copied byte for byte. If all references are changed, exactly the new ones are found again, and
// nothing else changes.
func FuzzRewrite(f *testing.F) {
	for _, s := range []string{`<a href=b><img srcset="a 1x,b">`, "<a\thref='x'\r\n>", `<meta http-equiv=refresh content="0;url=x">`,
		`<a href="&amp;&#x41;"/`, `<meta http-equiv=refresh content=00,url=00>`,
		`<style>@import "a"; b{c:url(d&amp;e)}</style><p style='f:url("g")'>`, `<svg><style>a{b:url(c&amp;d)}</style><g fill=url(e)>`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, in string) {
		if len(in) > 1<<16 {
			return
		}
		count := 0
		if got := rewritten(t, in, func(l links.Link) (string, bool) { count++; return "", false }); got != in {
			t.Fatalf("%q is copied as %q", in, got)
		}
		out := rewritten(t, in, func(l links.Link) (string, bool) { return "new", l.Element != "base" })
		again := 0
		rewritten(t, out, func(l links.Link) (string, bool) {
			again++
			if l.Ref != "new" && l.Element != "base" {
				t.Fatalf("%q becomes %q, in which %q is left", in, out, l.Ref)
			}
			return "", false
		})
		if again != count {
			t.Fatalf("%q has %d references, %q %d", in, count, out, again)
		}
	})
}

func rewrittenCSS(t testing.TB, in string, text func([]byte) []byte, to func(links.Link) (string, bool)) string {
	t.Helper()
	return rewrittenBy(t, links.RewriteCSS, in, text, to)
}

func TestRewriteCSS(t *testing.T) {
	long := strings.Repeat("/* filler \\ ' */\n", 1000)
	for _, test := range []struct{ in, want string }{
		{`@import "a.css" screen; @import url(b.css);`, `@import "A.CSS" screen; @import url(B.CSS);`},
		{`a{background:url( "x.png" ) , URL('keep') , url( y )}`, `a{background:url( "X.PNG" ) , URL('keep') , url( Y)}`},
		{`a{b:url(#f) url(keep#f) image-set("a" 1x,'b' type("c"))}`, `a{b:url(#f) url(keep#f) image-set("A" 1x,'B' type("c"))}`},
		{`/* url(a) */ @namespace url(a); b{c:"url(a)"}`, `/* url(a) */ @namespace url(a); b{c:"url(a)"}`},
		{`a{b:u\72l(x) \75 rl( y ) ur\6c\28 z)} @\69 mport "a";`, `a{b:u\72l(X) \75 rl( Y) ur\6c\28 z)} @\69 mport "A";`},
		{`a{b:url(a\29 b)}`, `a{b:url(A\)B)}`},
		{"\xef\xbb\xbf@charset \"x\";\r\na{b:url(q)} \x00\xff}{", "\xef\xbb\xbf@charset \"x\";\r\na{b:url(Q)} \x00\xff}{"},
		{long + "a{b:url(x)}" + long, long + "a{b:url(X)}" + long},
		{`a{b:url(x`, `a{b:url(x`},
	} {
		if got := rewrittenCSS(t, test.in, nil, upper); got != test.want {
			t.Errorf("%.200q\nbecomes %.200q\nwant    %.200q", test.in, got, test.want)
		}
	}
}

func fromShiftJIS(b []byte) []byte {
	s, _ := japanese.ShiftJIS.NewDecoder().Bytes(b)
	return s
}

// TestRewriteCSSInShiftJIS: the second byte of ソ and of 表 is a backslash.
func TestRewriteCSSInShiftJIS(t *testing.T) {
	in, _ := japanese.ShiftJIS.NewEncoder().String(`a{b:"ソ";c:url('表')}/*ソ*/d{e:url(ソ);f:url(g\e9 )} ソ{h:url(i)}`)
	var got []string
	out := rewrittenCSS(t, in, fromShiftJIS, func(l links.Link) (string, bool) {
		got = append(got, l.URI.String())
		return fmt.Sprintf("é%d", len(got)), true
	})
	want := []string{"http://h/d/%E8%A1%A8", "http://h/d/%E3%82%BD", "http://h/d/g%C3%A9", "http://h/d/i"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	wantOut, _ := japanese.ShiftJIS.NewEncoder().String(`a{b:"ソ";c:url('\e9 1')}/*ソ*/d{e:url(\e9 2);f:url(\e9 3)} ソ{h:url(\e9 4)}`)
	if out != wantOut {
		t.Errorf("got %q, want %q", out, wantOut)
	}
}

func TestRewriteStyles(t *testing.T) {
	for _, test := range []struct{ in, want string }{
		{"<style>\na{b:url(x&amp;y)}</style><p>url(z)", "<style>\na{b:url(X&AMP;Y)}</style><p>url(z)"},
		{`<style type="text/less">a{b:url(x)}</style>`, `<style type="text/less">a{b:url(x)}</style>`},
		{`<p style='a:url("x y"); b:url(keep)' class=c>`, `<p style='a:url(&#34;X\20 Y&#34;); b:url(keep)' class=c>`},
		{`<p style="a: url(&quot;x&quot;)">`, `<p style="a: url(&#34;X&#34;)">`},
		{`<svg fill="url(#a)"><image href=a /><style><![CDATA[a{b:url(x)}]]></style></svg><p fill="url(x)">`,
			`<svg fill="url(#a)"><image href="A" /><style><![CDATA[a{b:url(X)}]]></style></svg><p fill="url(x)">`},
		{`<svg><g filter="url(f.svg#a)"/></svg>`, `<svg><g filter="url(F.SVG#A)"/></svg>`},
		{`<link integrity=sha256-x rel=stylesheet href=a crossorigin>`, `<link data-integrity=sha256-x rel=stylesheet href="A" data-crossorigin>`},
		{`<script crossorigin=anonymous src=A integrity="x"></script>`, `<script data-crossorigin=anonymous src=A data-integrity="x"></script>`},
		{`<img crossorigin src=keep>`, `<img crossorigin src=keep>`},
		{`<a crossorigin href=x>`, `<a crossorigin href="X">`},
	} {
		if got := rewritten(t, test.in, upper); got != test.want {
			t.Errorf("%q\nbecomes %q\nwant    %q", test.in, got, test.want)
		}
	}
}

// TestEmbedded: a browser shows these documents with the page, and requests the others only when the user does.
func TestEmbedded(t *testing.T) {
	in := `<link rel="Shortcut ICON" href=y1><link rel=next href=n1><img src=y2 srcset="y3 1x"><a href=n2 style="b:url(y4)"></a><video poster=y5><source src=y6>` +
		`</video><object data=y7></object><form action=n3></form><svg><a href=n4><use xlink:href="y8#a"/></a></svg><blockquote cite=n5><style>@import 'y9'</style>` +
		`<iframe src=y10></iframe><body background=y11><base href=n6>`
	n := 0
	for l, err := range links.HTML(strings.NewReader(in), uri.Resolver{Base: uri.MustParse("http://h/")}) {
		if err != nil {
			t.Fatal(err)
		}
		if n++; l.Embedded != strings.HasPrefix(l.Ref, "y") {
			t.Errorf("%s: got Embedded %v, want %v", l.Ref, l.Embedded, !l.Embedded)
		}
	}
	if n != 17 {
		t.Errorf("got %d references, want 17", n)
	}
}

// FuzzRewriteCSS: without changes, a style sheet is copied byte for byte. If all references are changed, exactly the new ones are found again.
func FuzzRewriteCSS(f *testing.F) {
	for _, s := range []string{`@import "a"; b{c:url( d ) url('\65')}`, "/*url(a)*/\x00\\", "image-set('a' 1x, url(b))", "\x83\\url(\x83\\)"} {
		f.Add(s, false)
		f.Add(s, true)
	}
	f.Fuzz(func(t *testing.T, in string, foreign bool) {
		var text func([]byte) []byte
		if foreign {
			text = fromShiftJIS
		}
		count := 0
		if got := rewrittenCSS(t, in, text, func(links.Link) (string, bool) { count++; return "", false }); got != in {
			t.Fatalf("%q is copied as %q", in, got)
		}
		again := 0
		out := rewrittenCSS(t, in, text, func(links.Link) (string, bool) { return "n)e\"w", true })
		rewrittenCSS(t, out, text, func(l links.Link) (string, bool) {
			if again++; l.Ref != "n)e\"w" {
				t.Fatalf("%q becomes %q, in which %q is left", in, out, l.Ref)
			}
			return "", false
		})
		if again != count {
			t.Fatalf("%q has %d references, %q %d", in, count, out, again)
		}
	})
}
