package foreign

import (
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

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
