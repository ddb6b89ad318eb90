package links_test

import (
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
