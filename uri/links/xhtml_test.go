package links_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"example.org/deref/uri"
	"example.org/deref/uri/links"
)

func rewrittenXHTML(t testing.TB, in string, to func(links.Link) (string, bool)) string {
	t.Helper()
	return rewrittenBy(t, links.RewriteXHTML, in, nil, to)
}

// TestRewriteXHTML: elements may be empty, scripts and styles are markup, and a processing instruction refers to a style sheet.
func TestRewriteXHTML(t *testing.T) {
	for _, test := range []struct{ in, want string }{
		{`<title/><script src="a.js"/><a href="b"/>`, `<title/><script src="A.JS"/><a href="B"/>`},
		{`<textarea/><style/><iframe src='c'/><p style="d:url(e)"/>`, `<textarea/><style/><iframe src='C'/><p style="d:url(E)"/>`},
		{`<?xml version="1.0"?><?xml-stylesheet type="text/css" href="a.css?b&amp;c"?><x/>`, `<?xml version="1.0"?><?xml-stylesheet type="text/css" href="A.CSS?B&amp;C"?><x/>`},
		{"<?xml-stylesheet\thref='keep'?><?xml-model href='m'?><!-- <?xml-stylesheet href='n'?> -->", "<?xml-stylesheet\thref='keep'?><?xml-model href='m'?><!-- <?xml-stylesheet href='n'?> -->"},
		{`<style>a{b:url(x)}</style><style><![CDATA[a{b:url(y)}]]></style>`, `<style>a{b:url(X)}</style><style><![CDATA[a{b:url(Y)}]]></style>`},
		{`<script><![CDATA[ "<a href='x'>" ]]></script><a href='y'/>`, `<script><![CDATA[ "<a href='x'>" ]]></script><a href='Y'/>`},
		{`<svg><title/></svg><base href="/e/"/><img src="z"/>`, `<svg><title/></svg><base href="/E/"/><img src="Z"/>`},
	} {
		if got := rewrittenXHTML(t, test.in, upper); got != test.want {
			t.Errorf("%q\nbecomes %q\nwant    %q", test.in, got, test.want)
		}
	}
	// In HTML it is a comment.
	if in := `<?xml-stylesheet href="a"?>`; rewritten(t, in, upper) != in {
		t.Errorf("%q becomes %q in HTML", in, rewritten(t, in, upper))
	}
}

// TestSrcdoc: the document of an iframe is within an attribute, and has the base of the page.
func TestSrcdoc(t *testing.T) {
	in := `<base href="/e/"><iframe srcdoc="&lt;img src=a srcset=&quot;b 1x&quot;>&lt;p style='c:url(&amp;quot;d&amp;quot;)'>&lt;iframe srcdoc='&amp;lt;a href=f>'>" src=g></iframe>`
	var got []string
	for l, err := range links.HTML(strings.NewReader(in), uri.Resolver{Base: uri.MustParse("http://h/")}) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, l.URI.String())
	}
	want := []string{"http://h/e/", "http://h/e/a", "http://h/e/b", "http://h/e/d", "http://h/e/f", "http://h/e/g"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	to := func(l links.Link) (string, bool) { return `n"&'`, l.Element != "base" }
	out := rewritten(t, in, to)
	again := 0
	rewritten(t, out, func(l links.Link) (string, bool) {
		if again++; l.Ref != `n"&'` && l.Element != "base" {
			t.Errorf("%q contains %q", out, l.Ref)
		}
		return "", false
	})
	if again != len(want) {
		t.Errorf("got %d references in %q, want %d", again, out, len(want))
	}
	if in := `<iframe srcdoc="&lt;a href=keep>"><div srcdoc="&lt;a href=x>">`; rewritten(t, in, upper) != in {
		t.Errorf("%q becomes %q", in, rewritten(t, in, upper))
	}
	deep := "<a href=x>"
	for range 6 {
		deep = `<iframe srcdoc="` + strings.NewReplacer("&", "&amp;", `"`, "&quot;").Replace(deep) + `">`
	}
	if rewritten(t, deep, upper) != deep {
		t.Errorf("got %q, want it unchanged", rewritten(t, deep, upper))
	}
}

// FuzzRewriteXHTML: without changes, a document is copied byte for byte, and it has the references that XHTML yields.
func FuzzRewriteXHTML(f *testing.F) {
	for _, s := range []string{`<?xml-stylesheet href="a"?><title/><a href='b'/>`, `<style><![CDATA[@import "a"]]></style>`, `<iframe srcdoc="&lt;img src=a>"/>`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, in string) {
		var listed, seen []string
		for l, err := range links.XHTML(strings.NewReader(in), uri.Resolver{Base: uri.MustParse("http://h/d/x")}) {
			if err == nil {
				listed = append(listed, l.Ref)
			}
		}
		if got := rewrittenXHTML(t, in, func(l links.Link) (string, bool) { seen = append(seen, l.Ref); return "", false }); got != in {
			t.Fatalf("%q is copied as %q", in, got)
		}
		if slices.Sort(listed); !slices.Equal(listed, slices.Sorted(slices.Values(seen))) {
			t.Fatalf("%q: got the references %q, want %q", in, seen, listed)
		}
	})
}

const gemtext = "# Birds\n=> owl.gmi The  owl\r\n=>/a?b\n=>\n=> gemini://far/x\tFar\n```\n=> verbatim.gmi\n```\n=> http://[ broken\n=> last"

func TestGemtext(t *testing.T) {
	var got []string
	for l, err := range links.Gemtext(strings.NewReader(gemtext), uri.Resolver{Base: uri.MustParse("gemini://h/d/index.gmi")}) {
		if err != nil {
			got = append(got, "bad "+l.Ref)
			continue
		}
		got = append(got, l.URI.String()+"|"+l.Title)
	}
	if want := "gemini://h/d/owl.gmi|The owl gemini://h/a?b| gemini://far/x|Far bad http://[ gemini://h/d/last|"; strings.Join(got,
		" ") != want {
		t.Errorf("%s\nwant %s", strings.Join(got, " "), want)
	}
}

func TestRewriteGemtext(t *testing.T) {
	long := "=> " + strings.Repeat("x", 200<<10) + "\n```"
	var b strings.Builder
	err := links.RewriteGemtext(&b, strings.NewReader(gemtext+"\n"+long), uri.Resolver{Base: uri.MustParse("gemini://h/d/index.gmi")}, nil,
		func(l links.Link) (string, bool) {
			return "NEW", l.URI.Host() == "h"
		})
	want := "# Birds\n=> NEW The  owl\r\n=>NEW\n=>\n=> gemini://far/x\tFar\n```\n=> verbatim.gmi\n```\n=> http://[ broken\n=> NEW\n" + long
	if err != nil || b.String() != want {
		t.Errorf("%.200q, %v", b.String(), err)
	}
}

// In a page of another encoding only changed values change, whatever its other bytes are.
func TestRewriteInAnotherEncoding(t *testing.T) {
	letters := map[byte]string{0xcd: "м", 0xc9: "и", 0xd2: "р"} // KOI8-R
	koi := func(b []byte) []byte {
		var out []byte
		for _, c := range b {
			if s, ok := letters[c]; ok {
				out = append(out, s...)
			} else {
				out = append(out, c)
			}
		}
		return out
	}
	for _, c := range []struct{ in, to, want string }{
		{"\xff<a href='\xcd\xc9\xd2' title=\xcd>\xcd", "new", "\xff<a href='new' title=\xcd>\xcd"},
		{"<a href='&#1084;\xc9\xd2'>", "new", "<a href='new'>"}, // a character reference, which is Unicode in every encoding
		{"<img srcset='a \xcdx, \xcd\xc9\xd2'>", "new", "<img srcset='a &#1084;x, new'>"},
		{"<a href='\xcd'>", "", "<a href='\xcd'>"},
	} {
		var out bytes.Buffer
		err := links.Rewrite(&out, strings.NewReader(c.in), uri.Resolver{Base: uri.MustParse("http://h/")}, koi, func(l links.Link) (string, bool) {
			if c.to != "" && l.Ref != "a" && l.URI.String() != "http://h/%D0%BC%D0%B8%D1%80" {
				t.Errorf("%q: got the URI %s, want http://h/%%D0%%BC%%D0%%B8%%D1%%80", c.in, l.URI)
			}
			return c.to, c.to != "" && l.Ref != "a"
		})
		if out.String() != c.want || err != nil {
			t.Errorf("%q: got %q, %v, want %q", c.in, out.String(), err, c.want)
		}
	}
	var out bytes.Buffer
	err := links.RewriteGemtext(&out, strings.NewReader("\xff\n=> \xcd\xc9\xd2 \xcd\n"), uri.Resolver{Base: uri.MustParse("gemini://h/")}, koi,
		func(l links.Link) (string, bool) { return l.URI.String(), true })
	if want := "\xff\n=> gemini://h/%D0%BC%D0%B8%D1%80 \xcd\n"; out.String() != want || err != nil {
		t.Errorf("got %q, %v, want %q", out.String(), err, want)
	}
}
