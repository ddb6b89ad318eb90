package foreign

import (
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"example.org/deref/fetch"
	"example.org/deref/uri"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

func links() Links {
	lead := func(u uri.URI) string {
		if u.Scheme() == "javascript" {
			return ""
		}
		return "/to/" + u.String()
	}
	return Links{To: lead, Image: lead}
}

func TestWrite(t *testing.T) {
	for _, row := range [][2]string{
		{`<h1 onclick=x style=y id=z>a&amp;b</h1>`, `<h1 id="z">a&amp;b</h1>`},
		{`<a href=b.html>x</a>`, `<a target="_top" rel="noreferrer" href="/to/http://h/d/b.html">x</a>`},
		{`<base href="ftp://f/e/"><a href=b>x</a>`, `<a target="_top" rel="noreferrer" href="/to/ftp://f/e/b">x</a>`},
		{`<a href="#s">x</a>`, `<a href="about:srcdoc#s">x</a>`},
		{`<a href="javascript:x">x</a>`, `<a>x</a>`},
		{`<a href=" java&#10;script:x">x</a>`, `<a>x</a>`},
		{`<script>a</script>b<style>c</style><title>d</title>`, `b`},
		{`<script src=x />a</script>b<svg/>c<title/>d</title>e`, `bce`},
		{`<svg><script>x</script><a xlink:href="javascript:x">y</a></svg>z`, `z`},
		{`<img src=i.gif alt="an image" onerror=x>`, `<img src="/to/http://h/d/i.gif" alt="an image">`},
		{`<frame name=menu src=m.html>`, `<p>[<a target="_top" rel="noreferrer" href="/to/http://h/d/m.html">frame menu</a>]</p>`},
		{`<meta http-equiv=refresh content="0;url=x"><link href=x><form action=x><input>f</form>`, `f`},
		{`<XMP>&lt;<b></XMP>`, `<xmp>&amp;lt;&lt;b&gt;</xmp>`},
	} {
		var b strings.Builder
		if err := Write(&b, strings.NewReader(row[0]), false, uri.Resolver{Base: uri.MustParse("http://h/d/a.html")}, links()); err != nil ||
			b.String() != row[1] {
			t.Errorf("%s\ngot  %s, %v\nwant %s", row[0], b.String(), err, row[1])
		}
	}
}

func TestLongTag(t *testing.T) {
	err := Write(io.Discard, strings.NewReader("<a href='"+strings.Repeat("a", tokenMax)+"'>"), false, uri.Resolver{}, links())
	if want := "a tag or text of the page is longer than 1048576 bytes"; err == nil || err.Error() != want || fetch.KindOf(err) != fetch.ErrLimit {
		t.Errorf("got %v (%s), want %s (%s)", err, fetch.KindOf(err), want, fetch.ErrLimit)
	}
}

// FuzzWrite: the copy of any page runs no script and loads nothing by itself.
func FuzzWrite(f *testing.F) {
	for _, s := range []string{"<a href=x>", "<img src=x onerror=y>", "<svg><style><img src=x onerror=y>", "<noembed><script>",
		"<math><mtext></p><style>", "<plaintext><script>", "<!--><script>"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, page string) {
		var b strings.Builder
		if Write(&b, strings.NewReader(page), false, uri.Resolver{Base: uri.MustParse("http://h/")}, links()) != nil {
			return
		}
		n, err := html.Parse(strings.NewReader(b.String()))
		if err != nil {
			return
		}
		for d := range n.Descendants() {
			switch d.Data {
			case "script", "style", "iframe", "object", "embed", "link", "meta", "base", "form", "svg", "math":
				if d.Type == html.ElementNode {
					t.Errorf("%q: got %q, want only harmless elements", page, b.String())
				}
			}
			for _, a := range d.Attr {
				if strings.HasPrefix(a.Key, "on") || a.Key == "style" || (a.Key == "href" || a.Key == "src") && !strings.HasPrefix(a.Val, "/to/") &&
					!strings.HasPrefix(a.Val, "about:srcdoc#") {
					t.Errorf("%q: got %q, want only harmless attributes", page, b.String())
				}
			}
		}
	})
}

func quieted(t *testing.T, page string, xml bool) string {
	t.Helper()
	b, err := io.ReadAll(Quiet(strings.NewReader(page), xml))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestQuiet(t *testing.T) {
	for _, tt := range []struct {
		xml      bool
		in, want string
	}{
		{false, `a<LINK REL="Preconnect" href=//h>b`, `a<LINK data-REL="Preconnect" href=//h>b`},
		{false, `a<link rel='stylesheet preload' href=x>b`, `a<link data-rel='stylesheet preload' href=x>b`},
		{false, `a<link rel=stylesheet href=x>b`, `a<link rel=stylesheet href=x>b`},
		{false, "a<meta\nhttp-equiv=refresh content='0;url=//h'>b", "a<meta\ndata-http-equiv=refresh content='0;url=//h'>b"},
		{false, `a<meta charset=utf-8>b`, `a<meta charset=utf-8>b`},
		{false, `a<link/rel=dns-prefetch href=//h>b`, `a<link/data-rel=dns-prefetch href=//h>b`},
		{false, `a<link title=">" rel=&#112;refetch href=//h>b`, `a<link title=">" data-rel=&#112;refetch href=//h>b`},
		{false, `<svg><style><p><link rel=preconnect href=//h></svg>`, `<svg><style><p><link data-rel=preconnect href=//h></svg>`},
		{false, `<!--><link rel=prerender href=//h>`, `<!--><link data-rel=prerender href=//h>`},
		{false, `<iframe srcdoc = "&lt;link rel=preconnect>">`, `<iframe data-srcdoc = "&lt;link rel=preconnect>">`},
		{false, `<h:link rel="preconnect" href="//h"/>`, `<h:link rel="preconnect" href="//h"/>`},
		{true, `<h:link xmlns:h="http://www.w3.org/1999/xhtml" rel="preconnect" href="//h"/>`, `<h:link xmlns:h="http://www.w3.org/1999/xhtml" data-rel="preconnect" href="//h"/>`},
		{true, `<?xml-stylesheet href="#s"?><!DOCTYPE a [<!ENTITY b "c">]>`, `<?x-xml-stylesheet href="#s"?><!DOCTYPE a [<!x-ENTITY b "c">]>`},
		{false, `<a title='<link a="' ><link rel=preconnect href=x rel="next">`, `<a title='<link a="' ><link data-rel=preconnect href=x data-rel="next">`},
		{false, `a<link rel=preconnect`, `a<link data-rel=preconnect`},
		{false, `<link title='<link title="' rel="next"><link rel=icon rel=next>`, `<link title='<link title="' data-rel="next"><link rel=icon data-rel=next>`},
		{false, "<link rel=preconnect&#9><link/rel='preconnect&#x20'>", "<link data-rel=preconnect&#9><link/data-rel='preconnect&#x20'>"},
		{false, `links, <links>, a < b, a <`, `links, <links>, a < b, a <`},
		{false, `sources and srcdocs`, `sources and srcdocs`},
	} {
		if got := quieted(t, tt.in, tt.xml); got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.in, got, tt.want)
		}
		if got, err := io.ReadAll(Quiet(iotest.OneByteReader(strings.NewReader(tt.in)), tt.xml)); err != nil || string(got) != tt.want {
			t.Errorf("%s byte by byte: got %s, %v; want %s", tt.in, got, err, tt.want)
		}
	}
}

// A long document that contains no such element is returned byte by byte, and an error of its reader as it is.
func TestQuietChangesNothing(t *testing.T) {
	page := strings.Repeat("<p class=\"x\">Sources of a text < that is \x80\xff not \x00 valid <a href=x>links</a></p>\r\n", 3000)
	got, err := io.ReadAll(Quiet(io.MultiReader(strings.NewReader(page), iotest.ErrReader(io.ErrUnexpectedEOF)), false))
	if err != io.ErrUnexpectedEOF || string(got) != page {
		t.Errorf("got %d bytes, %v; want the %d of the page, %v", len(got), err, len(page), io.ErrUnexpectedEOF)
	}
	for before, after := range map[string]string{"<link " + strings.Repeat("x", 2*ahead) + " ": "rel=preconnect>", "<link ": "rel='" + strings.Repeat(" ", 2*ahead) + "preconnect'>"} {
		if got, want := quieted(t, before+after, false), before+"data-"+after; got != want {
			t.Errorf("got %.20s, want %.20s", got, want)
		}
	}
}

// FuzzQuiet: no parser state hides an element, and a page that has none is not changed.
func FuzzQuiet(f *testing.F) {
	for _, s := range []string{"<link rel=preconnect>", "<svg><style><p><link rel=preload>", "<!--><meta http-equiv=refresh>", "<textarea></textarea><link rel=next>",
		"<iframe srcdoc=x>", "<link a='<link rel=prefetch b=\"' rel=x> \" c='> rel=preconnect>", "<li<link rel=prefetch>nk rel=prefetch>", "<? << <![CDATA[ <http: <URL:"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, page string) {
		got := quieted(t, page, false)
		if !strings.Contains(strings.ToLower(page), "link") && !strings.Contains(strings.ToLower(page), "meta") && !strings.Contains(strings.ToLower(page), "srcdoc") && got != page {
			t.Errorf("got %q, want it unchanged: %q", got, page)
		}
		n, err := html.ParseWithOptions(strings.NewReader(got), html.ParseOptionEnableScripting(false))
		if err != nil {
			return
		}
		for d := range n.Descendants() {
			for _, a := range d.Attr {
				if a.Key == "srcdoc" || d.Namespace == "" && (d.DataAtom == atom.Link && a.Key == "rel" || d.DataAtom == atom.Meta && a.Key == "http-equiv") {
					if isBusy(a.Key, a.Val) {
						t.Errorf("%q: got %q, which has the element %s %v", page, got, d.Data, d.Attr)
					}
				}
			}
		}
	})
}
