package links

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"example.org/deref/uri"
)

// TestTreesOfHTML5Lib adds a different reference to each start tag of the pages of html5lib-tests' tree-construction directory. It compares the
// references that HTML finds with the tree that golang.org/x/net builds, which is the same as in a browser. The pages are in the module cache. No
// reference of a tree may be missing. HTML also finds tags that trees drop: a second <body>, misplaced elements, and the start of a comment within
// <noscript>.
func TestTreesOfHTML5Lib(t *testing.T) {
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "golang.org/x/net").Output()
	files, _ := filepath.Glob(filepath.Join(strings.TrimSpace(string(dir)), "html", "testdata", "html5lib-tests", "tree-construction",
		"*.dat"))
	if err != nil || len(files) == 0 {
		t.Skip("golang.org/x/net's test data is not in the module cache")
	}
	tag := regexp.MustCompile(`<[a-zA-Z][^\s/>]*`)
	pages, dropped := 0, 0
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range strings.Split(string(b), "#data\n")[1:] {
			page, about, _ := strings.Cut(c, "\n#errors")
			if strings.Contains(about, "#document-fragment") || strings.Contains(about, "#script-on") {
				continue
			}
			n := 0
			page = tag.ReplaceAllStringFunc(page, func(s string) string { n++; return fmt.Sprintf("%s href=n%d", s, n) })
			pages++
			want, got := treeReferences(t, page), map[string]bool{}
			for l := range HTML(strings.NewReader(page), uri.Resolver{Base: uri.MustParse("http://h/")}) {
				got[l.Ref] = true
				if !want[l.Ref] {
					dropped++
				}
			}
			for ref := range want {
				if !got[ref] {
					t.Errorf("%s: %s is missing in %q", filepath.Base(file), ref, page)
				}
			}
		}
	}
	t.Logf("%d pages, %d tags that trees drop", pages, dropped)
	if pages < 1500 || dropped > 160 {
		t.Errorf("%d pages, %d tags that trees drop", pages, dropped)
	}
}

// treeReferences returns the values of href in the tree of a page.
func treeReferences(t *testing.T, page string) map[string]bool {
	t.Helper()
	doc, err := html.ParseWithOptions(strings.NewReader(page), html.ParseOptionEnableScripting(false))
	if err != nil {
		t.Fatal(err)
	}
	refs := map[string]bool{}
	for n := range doc.Descendants() {
		for _, a := range n.Attr {
			if a.Key == "href" && n.Data != "nextid" {
				refs[a.Val] = true
			}
		}
	}
	return refs
}

// TestHTMLFacts tests the same properties of references as html5lib-tests and WPT, with other pages.
func TestHTMLFacts(t *testing.T) {
	for _, c := range []struct{ name, page, want string }{
		// HTML Standard section 4.2.3
		{"the first base counts", `<base href=/one/><base href=/two/><a href=x>`, "/one/x"},
		{"a base without href does not", `<base target=_top><base href=/two/><a href=x>`, "/two/x"},
		{"a base after an invalid one", `<base href="http://[bad"><base href=/two/><a href=x>`, "/dir/x"},
		{"an empty one is the document's", `<base href><base href=/two/><a href=x>`, "/dir/x"},
		{"data is not a base", `<base href=data:text/plain,x><base href=/two/><a href=x>`, "/dir/x"},
		{"javascript is not a base", `<base href=javascript:x()><a href=x>`, "/dir/x"},
		{"a base in a template", `<template><base href=/one/></template><base href=/two/><a href=x>`, "/two/x"},
		{"in nested templates", `<template><template></template><base href=/one/></template><a href=x>`, "/dir/x"},
		{"a base in SVG", `<svg><base href=/one/></svg><base href=/two/><a href=x>`, "/two/x"},
		{"a base in HTML in SVG", `<svg><desc><base href=/one/></desc></svg><a href=x>`, "/one/x"},
		{"a base with a fragment", `<base href=/one/#f><a href=x>`, "/one/x"},
		{"a relative base", `<base href=one/><a href=x>`, "/dir/one/x"},
		{"a base in a comment", `<!-- <base href=/one/> --><a href=x>`, "/dir/x"},
		{"a base in a text", `<title><base href=/one/></title><a href=x>`, "/dir/x"},
		{"a base in a noscript", `<noscript><base href=/one/></noscript><a href=x>`, "/one/x"},
		// templates, SVG and texts
		{"a link in a template", `<template><a href=x></template>`, "/dir/x"},
		{"in noscript", `<noscript><img src=x></noscript>`, "/dir/x"},
		{"in the title of SVG", `<svg><title><a href=x></a></title></svg>`, "/dir/x"},
		{"in a title", `<title><a href=x></a></title>`, ""},
		{"in a style of SVG", `<svg><style><a href=x></style></svg>`, "/dir/x"},
		{"in CDATA of SVG", `<svg><![CDATA[ > <a href=x> ]]></svg>`, ""},
		{"in CDATA of HTML", `<p><![CDATA[ > <a href=x> ]]></p>`, "/dir/x"},
		{"xlink", `<svg><use XLINK:HREF="x#i"/></svg>`, "/dir/x#i"},
		{"an image of SVG", `<svg><image href=x /></svg>`, "/dir/x"},
		{"a textarea", `<textarea><a href=x></textarea><a href=y>`, "/dir/y"},
		{"plaintext", `<plaintext><a href=x></plaintext>`, ""},
		{"xmp", `<xmp><a href=x></xmp><a href=y>`, "/dir/y"},
		{"a short comment", `<!--><a href=x>-->`, "/dir/x"},
		{"a comment that ends with --!>", `<!-- --!><a href=x>`, "/dir/x"},
		{"a comment without an end", `<!-- <a href=x>`, ""},
		{"a bogus comment", `<!x <a href=y><a href=x>`, "/dir/x"},
		// attributes: section 13.2.5.32
		{"of two the first counts", `<a href=x HREF=y>`, "/dir/x"},
		{"an empty first one counts", `<a href="" href=y>`, "/dir/page"},
		{"no quotes", `<a href=x/y>`, "/dir/x/y"},
		{"no quotes, and a slash", `<a href=x/>`, "/dir/x/"},
		{"no value", `<a href>`, "/dir/page"},
		{"= and no value", `<a href=>`, "/dir/page"},
		{"blanks around =", "<a href\t=\n\" x \">", "/dir/x"},
		{"a quote within", `<a href=x"y>`, `/dir/x%22y`},
		{"an apostrophe within", `<a href=x'y>`, "/dir/x'y"},
		{"no blank between", `<a class="c"href='x'>`, "/dir/x"},
		{"a slash between", `<a/href=x>`, "/dir/x"},
		{"= begins a name", `<a =href=x>`, ""},
		{"a quote in a name", `<a "href=x>`, ""},
		{"< in a name", `<a <href=x href=y>`, "/dir/y"},
		{"no end of quotes", `<a href="x>t</a><a href=y>`, ""},
		{"quotes that end late", `<a href="x>t</a><b id="c"><a href=y>`, "/dir/x%3Et%3C/a%3E%3Cb%20id= /dir/y"},
		{"no end of the tag", `<a href=x`, ""},
		{"the end tag's", `</a href=x>`, ""},
		{"CR and LF", "<a href='x\r\ny\rz'>", "/dir/xyz"},
		{"NUL", "<a href='x\x00'>", "/dir/x%EF%BF%BD"},
		{"NUL in a name", "<a hr\x00ef=x>", ""},
		// references in values: section 13.2.5.73
		{"&amp;", `<a href="?a&amp;b">`, "/dir/page?a&b"},
		{"no semicolon before =", `<a href="?a&copy=b">`, "/dir/page?a&copy=b"},
		{"no semicolon before a letter", `<a href="?a&ltx">`, "/dir/page?a&ltx"},
		{"no semicolon at the end", `<a href="?a&amp">`, "/dir/page?a&"},
		{"a semicolon", `<a href="?a&sol;b">`, "/dir/page?a/b"},
		{"a number without a semicolon", `<a href="x&#47y">`, "/dir/x/y"},
		{"a number of 16", `<a href="x&#x2F;y">`, "/dir/x/y"},
		{"no name", `<a href="?a&nosuch;b">`, "/dir/page?a&nosuch;b"},
		{"& alone", `<a href="?a&&b&">`, "/dir/page?a&&b&"},
		{"white space by number does not end a value", `<a href=x&#32;y>`, "/dir/x%20y"},
		// srcset: section 4.8.4.2.1
		{"srcset", `<img srcset="x 1x, y 2x">`, "/dir/x /dir/y"},
		{"without descriptors", `<img srcset="x,y">`, "/dir/x,y"},
		{"a comma ends", `<img srcset="x, y">`, "/dir/x /dir/y"},
		{"many commas", `<img srcset=",, x,,,y ,, z,,">`, "/dir/x,,,y /dir/z"},
		{"parentheses", `<img srcset="x (1,2), y">`, "/dir/x /dir/y"},
		{"that do not nest", `<img srcset="x ((1,2), y">`, "/dir/x /dir/y"},
		{"that do not end", `<img srcset="x (1, y">`, "/dir/x"},
		{"a data URI", `<img srcset="data:,a ( , data:,b 1x, ), data:,c">`, "data:,a data:,c"},
		{"newlines", "<source srcset='x\n100w,\f y\t200w'>", "/dir/x /dir/y"},
		{"nothing", `<img srcset=" , ,">`, ""},
		{"of a preload", `<link rel=preload imagesrcset="x 1x">`, "/dir/x"},
		// refresh: section 4.2.5.3
		{"refresh", `<meta http-equiv=REFRESH content="0;URL=x">`, "/dir/x"},
		{"a comma", `<meta http-equiv=refresh content="5, url=x">`, "/dir/x"},
		{"a blank", `<meta http-equiv=refresh content="5 url=x">`, "/dir/x"},
		{"nothing between", `<meta http-equiv=refresh content="5x">`, ""},
		{"no number", `<meta http-equiv=refresh content="; url=x">`, ""},
		{"a fraction", `<meta http-equiv=refresh content=".5; x">`, "/dir/x"},
		{"no url=", `<meta http-equiv=refresh content="5;x">`, "/dir/x"},
		{"url without =", `<meta http-equiv=refresh content="5;urlx">`, "/dir/urlx"},
		{"blanks", `<meta http-equiv=refresh content="  5  ;  url  =  x  ">`, "/dir/x"},
		{"quotes", `<meta http-equiv=refresh content="5;url='x'y">`, "/dir/x"},
		{"quotes alone", `<meta http-equiv=refresh content="5;'x">`, "/dir/x"},
		{"a quote after ur", `<meta http-equiv=refresh content="5;ur'x'">`, "/dir/ur'x'"},
		{"; in it", `<meta http-equiv=refresh content="5;url=x;y">`, "/dir/x;y"},
	} {
		var got []string
		for l, err := range HTML(strings.NewReader(c.page), uri.Resolver{Base: uri.MustParse("http://h/dir/page")}) {
			switch {
			case l.Element == "base":
			case err != nil:
				got = append(got, "! "+l.Ref)
			default:
				got = append(got, strings.TrimPrefix(l.URI.String(), "http://h"))
			}
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("%s: %q\ngot  %s\nwant %s", c.name, c.page, s, c.want)
		}
	}
}
