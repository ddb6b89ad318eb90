package links_test

import (
	"bytes"
	"strings"
	"testing"

	"example.org/deref/uri"
	"example.org/deref/uri/links"
)

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
