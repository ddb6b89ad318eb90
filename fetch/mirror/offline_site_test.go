package mirror_test

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"example.org/deref/fetch/mirror"
	"example.org/deref/uri"
)

// A sent document of the site.
type sent struct{ contentType, body string }

// offlineSite is a site with each kind of reference that a page can embed, and names that files cannot have.
func offlineSite() map[string]sent {
	const html = "text/html; charset=utf-8"
	site := map[string]sent{
		"/": {html, `<!doctype html><title>Offline</title>
<link rel="stylesheet" href="style.css?v=2" integrity="sha256-` + "{{hash}}" + `" crossorigin="anonymous">
<link rel="icon" href="/favicon">
<style>@import url("css/imported.css"); h2 { background: url('img/a b.png') repeat-x }</style>
<h1>Sheet with a query</h1><h2>Image with a space</h2><h3>Imported</h3>
<p style="background: url(&quot;/img/%D1%84.png&quot;)">Style attribute, non-ASCII name</p>
<img src=img/missing-without-srcset.png srcset="img/one.png 1x, /img/three.png?size=2,3 2x" width=40 height=40>
<picture><source srcset="img/one.png"><img src="img/two.png?size=2,3" width=40 height=40></picture>
<video poster="img/poster.png" width=40 height=40><source src="/media/clip"></video>
<object data="img/pic.svg" width=40 height=40></object>
<svg width=40 height=40><image xlink:href="img/one.png" width=40 height=40 /><rect fill="url(#g)"/></svg>
<iframe src="frame" width=200 height=60></iframe>
<script src="write.js?x" crossorigin></script>
<ul>
<li><a href="article">no extension</a> <a href="article?id=1&amp;x=2#top">query</a> <a href="sp%20ace">space</a>
<li><a href="100%25">percent</a> <a href="a%23b">hash</a> <a href="файл?я=ю">non-ASCII</a>
<li><a href="dir">redirected</a> <a href="dir/">directory</a> <a href="dir/sub/?all">directory with query</a>
<li><a href="base/page">base</a> <a href="koi8">koi8-r</a> <a href="utf16">UTF-16</a> <a href="http://other.invalid/x">elsewhere</a> <a href="none">not there</a>
</ul>`},
		"/style.css?v=2":    {"text/css", "h1 { color: white; background: url(img/two.png?size=2,3) }\n@font-face { font-family: x; src: url(\"/font/x.woff2\") }\n/* url(no.png) */"},
		"/css/imported.css": {"text/css; charset=koi8-r", "h3::after { content: ' \xcd\xc9\xd2' }\nh3 { background: url(../img/\xc6.png) }\n@import 'late.css';"},
		"/css/late.css":     {"text/css", "ul { color: green }"},
		"/font/x.woff2":     {"font/woff2", "wOF2"},
		"/media/clip":       {"video/mp4", "mp4"},
		"/favicon":          {"image/png", square(0x40)},
		"/frame":            {html, `<body style="background:url(img/one.png)">frame <a href="article">a</a>`},
		"/write.js?x":       {"text/javascript", "document.write('<b>written by a script</b>')"},
		"/img/pic.svg": {"image/svg+xml", `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"><style>circle{fill:url("grad#g")}</style>` +
			`<a xlink:href="/article"><circle r="20" cx="20" cy="20"/></a></svg>`},
		"/img/grad":         {"image/svg+xml", `<svg xmlns="http://www.w3.org/2000/svg"><linearGradient id="g"/></svg>`},
		"/article":          {html, `<link rel=stylesheet href="/style.css?v=2"><h1>Article</h1><a href="./">top</a>`},
		"/article?id=1&x=2": {html, `<a href="?id=1&x=2#top">self</a><a href="article">other</a>`},
		"/sp%20ace":         {html, `<a href="/">top</a>`},
		"/100%25":           {html, `<img src="img/100%25.png">`},
		"/a%23b":            {html, `<a href="a%23b#b">self</a>`},
		"/%D1%84%D0%B0%D0%B9%D0%BB?%D1%8F=%D1%8E": {html, `<a href="dir/">d</a>`},
		"/dir":          {"->", "/dir/"},
		"/dir/":         {html, `<img src="../img/one.png"><a href="..">up</a><a href="sub/?all">s</a><a href="./">self</a>`},
		"/dir/sub/?all": {html, `<a href="../../sp%20ace">x</a>`},
		"/base/page":    {html, `<base href="/img/"><img src="one.png"><a href="../article#top">a</a><a href="#here">h</a>`},
		"/koi8":         {"text/html; charset=koi8-r", "<p>\xcd\xc9\xd2<img src='img/\xc6.png'><style>p{background:url(img/\xc6.png)}</style>"},
		"/utf16":        {"text/html; charset=utf-16le", wide("\ufeff<p>мир<img src='img/ф.png'><style>p{background:url(img/ф.png)}</style>")},
	}
	for i, name := range []string{"a%20b", "%D1%84", "one", "poster", "100%25"} {
		site["/img/"+name+".png"] = sent{"image/png", square(byte(50 * i))}
	}
	sum := sha256.Sum256([]byte(site["/style.css?v=2"].body))
	top := site["/"]
	top.body = strings.Replace(top.body, "{{hash}}", base64.StdEncoding.EncodeToString(sum[:]), 1)
	site["/"] = top
	site["/img/two.png?size=2,3"] = sent{"image/png", square(255)}
	site["/img/three.png?size=2,3"] = sent{"image/png", square(0)}
	return site
}

// square returns a picture.
func square(shade byte) string {
	var b bytes.Buffer
	m := image.NewRGBA(image.Rect(0, 0, 20, 20))
	draw.Draw(m, m.Bounds(), image.NewUniform(color.RGBA{shade, 120, 255 - shade, 255}), image.Point{}, draw.Src)
	if err := png.Encode(&b, m); err != nil {
		panic(err)
	}
	return b.String()
}

// gzipped returns the content coding of a text.
func gzipped(text string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	io.WriteString(w, text)
	w.Close()
	return b.String()
}

// serveSite serves documents. Those with the type "gzip TYPE" have a content coding that was not requested; those with "" have no media type.
func serveSite(t testing.TB, site map[string]sent) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		d, ok := site[r.URL.RequestURI()]
		kind, coded := strings.CutPrefix(d.contentType, "gzip ")
		switch {
		case !ok:
			http.NotFound(w, r)
			return
		case kind == "->":
			http.Redirect(w, r, d.body, http.StatusMovedPermanently)
			return
		case kind == "":
			w.Header()["Content-Type"] = nil
		default:
			w.Header().Set("Content-Type", kind)
		}
		if coded {
			w.Header().Set("Content-Encoding", "gzip")
			d.body = gzipped(d.body)
		}
		tag := fmt.Sprintf("%q", hash(d.body)[:8])
		if w.Header().Set("Etag", tag); r.Header.Get("If-None-Match") == tag {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		io.WriteString(w, d.body)
	}))
	t.Cleanup(s.Close)
	return s
}

// TestOfflineForms: what browsers treat as a page or as a style sheet is one in the copy, too, whatever its form, its coding and its media type.
func TestOfflineForms(t *testing.T) {
	t.Parallel()
	const html = "text/html"
	site := map[string]sent{
		"/": {html, `<link rel="Stylesheet" href="plain.css"><link rel=stylesheet href=none><link rel=stylesheet href=same.css integrity=sha256-x crossorigin>` +
			`<iframe srcdoc="&lt;img src='/one.png'>&lt;a href=moved>m&lt;/a>"></iframe><a href=moved#own>o</a><a href=x.xhtml>x</a><a href=doc.xml>d</a>` +
			`<a href=page>p</a><a href=source.html>s</a><a href=coded.html>c</a><a href=octets>o</a><a href=feed>f</a><a href=g>g</a>`},
		"/plain.css":   {"text/plain", `a{b:url(/one.png)}`},
		"/none":        {"", `@import url(/late);`},
		"/late":        {"->", "/d/late"},
		"/d/late":      {"application/octet-stream", `a{b:url(/d/two.png)}`},
		"/same.css":    {"text/css", `a{}`},
		"/one.png":     {"image/png", "1"},
		"/d/two.png":   {"image/png", "2"},
		"/moved":       {"->", "/target#part"},
		"/target":      {html, `t`},
		"/x.xhtml":     {"application/xhtml+xml", `<?xml-stylesheet href="/x.css"?><html><title/><script src="/x.js"/><a href="/target"/></html>`},
		"/x.css":       {"text/css", `a{}`},
		"/x.js":        {"text/javascript", `1`},
		"/doc.xml":     {"text/xml", `<?xml-stylesheet type="text/css" href="/x.css"?><doc href="/target"/>`},
		"/page":        {"", "\ufeff<!-- c --><a href=/target>"},
		"/source.html": {"text/plain", `<a href=/target>`},
		"/coded.html":  {"gzip " + html, `<link rel=stylesheet href=/coded.css>`},
		"/coded.css":   {"gzip text/css", `a{b:url(/one.png)}`},
		"/octets":      {"", `<no page`},
		"/feed":        {"application/xml", `<feed/>`},
		"/g":           {"text/gemini", "=> /target t\n"},
	}
	s := serveSite(t, site)
	dir := t.TempDir()
	if sum, err := mirror.Run(t.Context(), client(t), uri.MustParse(s.URL+"/"), dir, &mirror.Options{Extensions: true, DryRun: true}); err != nil || sum.Failed > 0 {
		t.Errorf("dry run: got %+v, %v; want Failed 0", sum, err)
	}
	for i := range 2 {
		sum, err := mirror.Run(t.Context(), client(t), uri.MustParse(s.URL+"/"), dir, offlineOptions())
		if err != nil || sum.Failed > 0 || sum.Suspect > 0 || i > 0 && sum.Saved > 0 {
			t.Fatalf("run %d: got %+v, %v; want no failures, and documents saved only at first", i, sum, err)
		}
		got := tree(t, dir)
		for name, want := range map[string]string{
			"index.html": `<link rel="Stylesheet" href="plain.css"><link rel=stylesheet href="none.css"><link rel=stylesheet href=same.css data-integrity=sha256-x data-crossorigin>` +
				`<iframe srcdoc="&lt;img src=&#39;one.png&#39;&gt;&lt;a href=&#34;target.html#part&#34;&gt;m&lt;/a&gt;"></iframe><a href="target.html#own">o</a><a href=x.xhtml>x</a>` +
				`<a href=doc.xml>d</a><a href="page.html">p</a><a href="source.html.txt">s</a><a href=coded.html>c</a><a href=octets>o</a><a href="feed.xml">f</a><a href="g.gmi">g</a>`,
			"plain.css":       `a{b:url(one.png)}`,
			"none.css":        `@import url(d/late.css);`,
			"d/late.css":      `a{b:url(two.png)}`,
			"x.xhtml":         `<?xml-stylesheet href="x.css"?><html><title/><script src="x.js"/><a href="target.html"/></html>`,
			"doc.xml":         `<?xml-stylesheet type="text/css" href="x.css"?><doc href="/target"/>`,
			"page.html":       "\ufeff<!-- c --><a href=\"target.html\">",
			"source.html.txt": site["/source.html"].body,
			"coded.html":      `<link rel=stylesheet href="coded.css">`,
			"coded.css":       `a{b:url(one.png)}`,
			"octets":          site["/octets"].body,
			"feed.xml":        `<feed/>`,
			"g.gmi":           "=> target.html t\n",
		} {
			if got[name] != want {
				t.Errorf("run %d, %s: got  %s\nwant %s", i, name, got[name], want)
			}
		}
	}
	if _, c := openCopy(t, dir); c != nil {
		d, err := c.Get(t.Context(), uri.MustParse(s.URL+"/moved"), nil)
		if err != nil || d.Fragment != "part" || !strings.HasSuffix(d.URI.WithoutFragment().String(), "/target") {
			t.Errorf("got %v, %v, want /target with the fragment part", d, err)
		}
	}
}
