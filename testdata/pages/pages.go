// Package pages starts a gateway, and servers for a page of each type. The tests of package gateway and those in testdata/browser use it.
package pages

import (
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"

	"example.org/deref/fetch"
	"example.org/deref/fetch/gateway"
	"example.org/deref/schemes"
	"example.org/deref/schemes/ftp/ftptest"
	"example.org/deref/schemes/gopher/gophertest"
	"example.org/deref/schemes/ldap/ldaptest"
	"example.org/deref/schemes/news/newstest"
	"example.org/deref/schemes/spartan/spartantest"
	"example.org/deref/schemes/wais/waistest"
	"example.org/deref/testdata"
	"example.org/deref/uri"
)

// A Lab is a gateway and servers for the sample site.
type Lab struct {
	*httptest.Server
	FTP, Gopher string // host and port
}

// NewLab starts a gateway with cfg. It ends with the test.
func NewLab(t *testing.T, cfg *gateway.Config) Lab {
	t.Helper()
	f, err := ftptest.Listen(testdata.Site(), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.Close)
	g, err := gophertest.Listen(testdata.Site(), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(g.Close)
	c := fetch.New(schemes.All(nil)...)
	t.Cleanup(func() { c.Close() })
	s := httptest.NewServer(gateway.New(c, cfg))
	t.Cleanup(s.Close)
	return Lab{s, strings.TrimPrefix(f.URL, "ftp://"), strings.TrimPrefix(g.URL, "gopher://")}
}

// A Page is an example of a type of page.
type Page struct {
	Name, Path string
	Text       string // a line of a text browser
}

// All starts a server for each type of page.
func All(t *testing.T) (Lab, []Page) {
	t.Helper()
	l := NewLab(t, &gateway.Config{Samples: []gateway.Sample{{URI: uri.MustParse("gopher://gopher.example/")}, {URI: uri.MustParse("gopher://gopher.example/0/a"), Title: "A text", Lesson: true},
		{URI: uri.MustParse("dict://dict.example/"), Title: "Words"}}})
	site := testdata.Site()
	news, wais, ldap := newstest.NewServer(site, nil), waistest.NewServer(site, nil), ldaptest.NewServer(site, nil)
	owls := spartantest.NewServer(fstest.MapFS{"owls.gmi": {Data: []byte(Gemtext)}}, nil)
	for _, s := range []func(){news.Close, wais.Close, ldap.Close, owls.Close} {
		t.Cleanup(s)
	}
	group := "/news/" + news.Addr
	return l, []Page{
		{"start", "/", "gopher"},
		{"ftp", "/ftp/" + l.FTP + "/", "README.txt"},
		{"menu", "/gopher/" + l.Gopher + "/", "How the Web came to name things"},
		{"text", "/gopher/" + l.Gopher + "/0/history/gopher.txt", "1991"},
		{"gemtext", "/spartan/" + strings.TrimPrefix(owls.URL, "spartan://") + "/owls.gmi", "The barn owl"},
		{"group", group + "/comp.infosystems.www", "Re: Names for everything"},
		{"sorted", "/-/view/from=1,by=-modified" + group + "/comp.infosystems.www", "Reader <reader@site.example>"},
		{"article", group + "/second.2@site.example", "Writer <writer@site.example>"},
		{"thread", "/-/thread" + group + "/second.2@site.example", "Re: Names for everything"},
		{"wais", "/-/search?words=wide+area&uri=wais%3A%2F%2F" + strings.TrimPrefix(wais.URL, "wais://") + "%2Fsite", "1000"},
		{"ldap", "/ldap/" + strings.TrimPrefix(ldap.URL, "ldap://") + "/ou=texts,o=site", "objectClass"},
		{"message", "/ftp/" + l.FTP + "/mail/related.eml", "Tim <tim@site.example>"},
		{"error", "/ftp/" + l.FTP + "/nonesuch/a.txt", "Go up to nonesuch"},
	}
}

// Gemtext is a document with lines of every kind.
const Gemtext = `# Owls & <b>
A paragraph, which is one line however long it is: the browser wraps it, and finds http://h.example/ in it.

## Kinds
* Tawny owl
> It hoots.
=> barn.gmi The barn owl
=> gopher://gopher.example/1/owls Owls by gopher
=: /find Which owl?
=> javascript:alert(1) A script
` + "```An owl\n (o,o)  <\n```\n### End\n"
