package links_test

import (
	"bytes"
	"strings"
	"testing"

	"example.org/deref/uri"
	"example.org/deref/uri/links"
)

// upper changes references to upper case, except those that begin with "keep".
func upper(l links.Link) (string, bool) {
	return strings.ToUpper(l.Ref), !strings.HasPrefix(l.Ref, "keep")
}

func rewritten(t testing.TB, in string, to func(links.Link) (string, bool)) string {
	t.Helper()
	var out bytes.Buffer
	if err := links.Rewrite(&out, strings.NewReader(in), uri.Resolver{Base: uri.MustParse("http://h/d/x")}, nil, to); err != nil {
		t.Fatal(err)
	}
	return out.String()
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
