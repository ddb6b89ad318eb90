package foreign

import (
	"io"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"example.org/deref/fetch"
	"example.org/deref/uri"
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
