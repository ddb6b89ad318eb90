package links

import (
	"errors"
	"iter"
	"slices"
	"strings"
	"testing"

	cases "example.org/deref/testdata/uri"
	"example.org/deref/uri"
	"example.org/deref/uri/markup"
)

// showAll writes links as element.attribute and URI, and with "!" if the reference is invalid.
func showAll(list iter.Seq2[Link, error]) (all []string) {
	for l, err := range list {
		s := l.Element + "." + l.Attribute + " " + l.URI.String()
		if err != nil {
			s = l.Element + "." + l.Attribute + " ! " + l.Ref
		}
		if l.Title != "" {
			s += " (" + l.Title + ")"
		}
		all = append(all, s)
	}
	return all
}

func TestHTML(t *testing.T) {
	base := uri.MustParse("http://h/a/b")
	for _, c := range []struct {
		in   string
		want []string
	}{
		{`<A HREF="http://h/a?b&amp;c">x</A>`, []string{"a.href http://h/a?b&c (x)"}},
		{`<a href=c>one <b>two</b>` + "\n three</a>", []string{"a.href http://h/a/c (one two three)"}},
		{`<a href=x><a href=y>t</a>`, []string{"a.href http://h/a/x", "a.href http://h/a/y (t)"}},
		{`<a href=x>open`, []string{"a.href http://h/a/x (open)"}},
		{`<base href=http://o/p/q><img src=r>`, []string{"base.href http://o/p/q", "img.src http://o/p/r"}},
		{`<base href=http://o/><base href=http://p/><img src=r>`, []string{"base.href http://o/", "base.href http://p/", "img.src http://o/r"}},
		{`<NEXTID N="27"><isindex action="/search">`, []string{"isindex.action http://h/search"}},
		{`<meta http-equiv=Refresh content="5; URL='next'">`, []string{"meta.content http://h/a/next"}},
		{`<meta http-equiv=refresh content="5">`, nil},
		{`<meta name=x content="5; url=y">`, nil},
		{`<img src=a srcset="b 1x, c,d 2x ,e">`,
			[]string{"img.src http://h/a/a", "img.srcset http://h/a/b", "img.srcset http://h/a/c,d", "img.srcset http://h/a/e"}},
		{`<form action="">`, []string{"form.action http://h/a/b"}},
		{"<a href=' c\n d '>", []string{"a.href http://h/a/c%20d"}},
		{`<a href="100%">x</a><a href=y>`, []string{"a.href ! 100%", "a.href http://h/a/y"}},
		{`<script>var s = "<a href=z>"</script><!-- <a href=z> -->`, nil},
		{`<style type="text/css"/>a { b: url(c) }</style>`, []string{"style. http://h/a/c"}},
		{`<a href=x href=y>`, []string{"a.href http://h/a/x"}},
		{`<body background=g><object data=d classid=clsid:1 codebase=c>`,
			[]string{"body.background http://h/a/g", "object.data http://h/a/d", "object.classid clsid:1", "object.codebase http://h/a/c"}},
		{`<link rel="Preconnect dns-prefetch" href=//o><link rel="preconnect icon" href=i>`, []string{"link.href http://h/a/i"}},
		{`<param name=data data=x><a ping="p q">`, []string{"a.ping http://h/a/p", "a.ping http://h/a/q"}},
	} {
		if got := showAll(HTML(strings.NewReader(c.in), uri.Resolver{Base: base})); !slices.Equal(got, c.want) {
			t.Errorf("%s\n got %q\nwant %q", c.in, got, c.want)
		}
	}
}

func TestHTMLStops(t *testing.T) {
	n := 0
	for range HTML(strings.NewReader(`<a href=x>1</a><a href=y>2</a><img src=z>`), uri.Resolver{}) {
		n++
		break
	}
	if n != 1 {
		t.Errorf("%d links after a break", n)
	}
}

// TestSpecRows runs the rows of mode html.
func TestSpecRows(t *testing.T) {
	ran := 0
	for _, r := range cases.Own(t) {
		if r.Mode != "html" {
			continue
		}
		ran++
		var got []string
		for l, err := range HTML(strings.NewReader(r.Input), uri.Resolver{}) {
			if err != nil {
				t.Errorf("%s: got %v, want no error", r.Input, err)
			}
			got = append(got, l.URI.String())
		}
		var want []string
		for _, u := range r.Expect["uris"].([]any) {
			want = append(want, u.(string))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", r.Input, got, want)
		}
	}
	if ran == 0 {
		t.Error("no row of mode html")
	}
}

func TestGopher(t *testing.T) {
	menu := "iWelcome\tfake\t(NULL)\t0\r\n" +
		"0About Gopher\t0/About Gopher\tgopher.example\t70\r\n" +
		"1Elsewhere\t\tother.example\t7070\t+\r\n" +
		"7Search\t7/q?x\t2001:db8::1\t70\r\n" +
		"0Brackets\t/a\t[2001:db8::1]\t70\r\n" +
		"8Library\tguest@x\tlib.example\t23\r\n" +
		"TCatalogue\t\tlib.example\t2323\r\n" +
		"hWeb\tURL:http://h/a?b\tgopher.example\t70\r\n" +
		"0Bad port\t/x\th\t70000\r\n" +
		"0No host\t/x\t\t70\r\n" +
		"3Error\t\terror.host\t1\r\n" +
		"\tTab\t/x\th\t70\r\n\x00NUL\t/x\th\t70\r\n" +
		"no tabs\r\n\r\n.\r\n0After a dot\t/x\th\t70\r\n+Mirror\t/y\tm\t70\r\n"
	want := []string{
		"0.selector gopher://gopher.example/00/About%20Gopher (About Gopher)",
		"1.selector gopher://other.example:7070/1 (Elsewhere)",
		"7.selector gopher://[2001:db8::1]/77/q%3Fx (Search)",
		"0.selector gopher://[2001:db8::1]/0/a (Brackets)",
		"8.selector telnet://guest%40x@lib.example/ (Library)",
		"T.selector tn3270://lib.example:2323/ (Catalogue)",
		"h.selector http://h/a?b (Web)",
		"0.selector ! /x (Bad port)",
		"0.selector ! /x (No host)",
		"0.selector gopher://h/0/x (After a dot)",
		"0.selector gopher://m/0/y (Mirror)",
	}
	if got := showAll(Gopher(strings.NewReader(menu))); !slices.Equal(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
}

func TestList(t *testing.T) {
	in := "# RFC 2483\r\nhttp://h/a\r\n\r\n relative\r\nurn:x:y\r\nhttp://h/%\r\n"
	want := []string{". http://h/a", ". ! relative", ". urn:x:y", ". ! http://h/%"}
	if got := showAll(List(strings.NewReader(in))); !slices.Equal(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
}

func TestLineTooLong(t *testing.T) {
	var last error
	for _, err := range List(strings.NewReader("http://h/" + strings.Repeat("a", maxLine))) {
		last = err
	}
	if e, ok := errors.AsType[*markup.LimitError](last); !ok || *e != (markup.LimitError{Part: "a line", Most: maxLine}) {
		t.Errorf("got %v, want a *markup.LimitError", last)
	}
}

func FuzzHTML(f *testing.F) {
	f.Add(`<base href=//o><a href="x" srcset="a 1x,b">t</a><meta http-equiv=refresh content="1;url=z">`)
	base := uri.MustParse("http://h/a")
	f.Fuzz(func(t *testing.T, s string) {
		for l, err := range HTML(strings.NewReader(s), uri.Resolver{Base: base}) {
			if err == nil && !l.URI.IsAbs() {
				t.Errorf("%q is not absolute", l.URI)
			}
			if len(l.Title) > maxTitle {
				t.Errorf("got a title of %d bytes, want at most 512", len(l.Title))
			}
		}
	})
}

func FuzzGopher(f *testing.F) {
	f.Add("0a\tb\th\t70\r\n8x\tu\th\t23\n.\n")
	f.Fuzz(func(t *testing.T, s string) {
		for l, err := range Gopher(strings.NewReader(s)) {
			if err == nil && !l.URI.IsAbs() {
				t.Errorf("%q is not absolute", l.URI)
			}
		}
	})
}
