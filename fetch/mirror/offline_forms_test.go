package mirror_test

import (
	"strings"
	"testing"

	"example.org/deref/fetch/mirror"
	"example.org/deref/uri"
)

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
