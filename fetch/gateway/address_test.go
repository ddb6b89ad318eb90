package gateway

import (
	"net/http/httptest"
	"strings"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/schemes"
	"example.org/deref/uri"
)

// comesBack requests a path as a browser would and returns the URI that the gateway understands.
func comesBack(g *Gateway, path string) (uri.URI, error) {
	r := httptest.NewRequest("GET", path, nil)
	if p, ok := strings.CutPrefix(r.URL.Path, ownPath); ok && p == "uri" {
		return parse(uri.Escaped(r.URL.RawQuery).Decode())
	}
	return g.target(r.URL.EscapedPath() + query(r))
}

func TestPathsComeBack(t *testing.T) {
	g := New(fetch.New(schemes.All(nil)...), nil)
	for _, row := range []struct{ uri, path string }{
		{"gopher://h.example/0/about.txt", "/gopher/h.example/0/about.txt"},
		{"gopher://h.example:7070", "/gopher/h.example:7070"},
		{"gopher://h/7/find%09a%20word", "/gopher/h/7/find%09a%20word"},
		{"gopher://h/0/%2E%2E/etc", "/-/uri?gopher://h/0/%252E%252E/etc"}, // a browser would resolve the dots
		{"ftp://h/%2Fetc/a;type=a", "/ftp/h/%2Fetc/a;type=a"},
		{"ftp://h//a//b/", "/ftp/h//a//b/"},
		{"ftp://h/a%25b%3Fc%23d", "/ftp/h/a%25b%3Fc%23d"},
		{"ftp://ann@h/", "/ftp/ann@h/"},
		{"http://[::1]:80/?a=b?c", "/http/[::1]:80/?a=b?c"},
		{"wais://h/db?", "/wais/h/db?"},
		{"wais://h/db?it's", "/-/uri?wais://h/db%3Fit%27s"}, // a browser would escape the quote
		{"ldap://h/o=x?cn,mail?sub?(cn=a*)", "/ldap/h/o=x?cn,mail?sub?(cn=a*)"},
		{"news:comp.infosystems.www", "/news:comp.infosystems.www"},
		{"news:a/b%2Fc@d", "/news:a/b%2Fc@d"},
		{"urn:ietf:rfc:2648", "/urn:ietf:rfc:2648"},
	} {
		u := uri.MustParse(row.uri)
		if got := Path(u); got != row.path {
			t.Errorf("Path(%s) = %s, want %s", u, got, row.path)
		}
		if back, err := comesBack(g, row.path); err != nil || back.String() != row.uri {
			t.Errorf("%s: got %v, %v; want %s", row.path, back, err, row.uri)
		}
	}
	if got := Path(uri.MustParse("ftp://ann:secret@h/#part")); got != "/ftp/ann@h/" {
		t.Errorf("a path has the password or the fragment: got %s, want \"/ftp/ann@h/\"", got)
	}
}

// A comma within a name of a directory is escaped (RFC 4514 section 2.4). A path of many steps is one, because each has a link with all steps before it.
func TestCrumbsOfNames(t *testing.T) {
	deep, names := strings.Repeat("a/", maxCrumbs), strings.Repeat(",", maxCrumbs)
	for s, want := range map[string]string{"ldap://h/cn=a,o=b": "ldap://h|o=b|cn=a", "ldap://h/cn=Lee%5C,%20Ann,ou=c%5c,d,o=b": `ldap://h|o=b|ou=c\,d|cn=Lee\, Ann`,
		"ldap://h/cn=a%5C%5C,o=b%5C": `ldap://h|o=b\|cn=a\\`, "ftp://h/" + deep: "ftp://h|" + deep, "gopher://h/1/" + deep: "gopher://h|1/" + deep,
		"ldap://h/" + names: "ldap://h|" + names} {
		var names []string
		for _, c := range crumbs(uri.MustParse(s)) {
			names = append(names, c.name)
		}
		if got := strings.Join(names, "|"); got != want {
			t.Errorf("%s: got %s, want %s", s, got, want)
		}
	}
}

func TestPathsOfGatewaysForOneScheme(t *testing.T) {
	g := New(fetch.New(schemes.All(nil)...), &Config{Scheme: "wais"})
	for path, want := range map[string]string{
		"/quake.example:210/INFO?words": "wais://quake.example:210/INFO?words",
		"/gopher/h/1/":                  "gopher://h/1/",
	} {
		if u, err := comesBack(g, path); err != nil || u.String() != want {
			t.Errorf("%s: got %v, %v; want %s", path, u, err, want)
		}
	}
	if u, err := comesBack(New(fetch.New(schemes.All(nil)...), nil), "/quake.example:210/INFO"); err == nil {
		t.Errorf("a path without a scheme: got %s, want an error", u)
	}
}

// A login is requested only on paths whose directory names one server.
func TestPromise7PathsOfLogins(t *testing.T) {
	plain, named := New(fetch.New(schemes.All(nil)...), nil), New(fetch.New(schemes.All(nil)...), &Config{Scheme: "wais"})
	for _, row := range []struct {
		g    *Gateway
		path string
		want bool
	}{
		{plain, "/http/h:80/", true}, {plain, "/http/h:80/x/y", true}, {plain, "/ftp/ann@h/", true}, {plain, "/-/raw/http/h/x", true}, {plain, "/-/conversation/http/h/x", true},
		{plain, "/-/part/12/ftp/h/x", true},
		{plain, "/", false}, {plain, "/http", false}, {plain, "/http/", false}, {plain, "/http//x", false}, {plain, "/http/h", false},
		{plain, "/http://h", false}, {plain, "/http://h/x/y", false},
		{plain, "/http:h/x/y", false}, {plain, "/h:80/x/y", false}, {plain, "/-/uri", false}, {plain, "/-/raw", false},
		{plain, "/-/raw/http/h", false}, {plain, "/-/part/x/ftp/h/x", false},
		{plain, "/-/part/1/ftp/h", false}, {plain, "/-/rows/snmp/h/1", false}, {plain, "/-/to/0/http/h/x", false},
		{plain, "/-/image/0/http/h/x", false}, {plain, "/-/raw/-/raw/http/h/x", false},
		{named, "/h:210/x", true}, {named, "/h:210/", true}, {named, "/h:210", false}, {named, "/http/h/x", true}, {named, "/http/h", false},
		{named, "/http://h/x", false}, {named, "//h/x", false},
	} {
		if got := row.g.isBelowServer(row.path); got != row.want {
			t.Errorf("%s: %v, want %v", row.path, got, row.want)
		}
	}
}

func FuzzPath(f *testing.F) {
	g := New(fetch.New(schemes.All(nil)...), nil)
	for _, s := range []string{"gopher://h/0/a", "ftp://h/a/../b;x?y", "news:a@b", "wais://h/d?'", "http:///x", "ldap://h/?\"<"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		u, err := uri.Parse(s)
		if err != nil {
			return
		}
		if _, ok := g.client.Schemes.Lookup(u.Scheme()); !ok {
			return
		}
		u = uri.RFC3986.Encode(u, uri.SafeRFC3986).WithoutFragment().WithoutPassword()
		back, err := comesBack(g, Path(u))
		if err != nil || back.String() != u.String() {
			t.Errorf("%[2]q: got %[3]q, %[4]v; want %[1]q", u, Path(u), back, err)
		}
	})
}
