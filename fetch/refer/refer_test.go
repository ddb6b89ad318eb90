package refer

import (
	"context"
	"slices"
	"strings"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

func TestExpand(t *testing.T) {
	for _, c := range []struct{ template, in, want string }{
		{"http://g/?{uri}", "wais://h/db?a%20b", "http://g/?wais%3A%2F%2Fh%2Fdb%3Fa%2520b"},
		{"http://g/{+uri}", "wais://u:p@h/db#f", "http://g/wais://h/db"}, // userinfo and fragment are not sent to the gateway
		{"http://{host}.gate.example{+path}", "wais://h/db", "http://h.gate.example/db"},
		{"http://g/{path}", "x:a/b", "http://g/a%2Fb"},
		{"http://g/{host}:{port}/{+authority}{+rest}?{query}{scheme}", "wais://h:3/a?b", "http://g/h:3/h:3/a?b?bwais"},
		{"http://g/{unknown}", "wais://h/", ""},
		{"{uri}", "wais://h/", ""}, {"g/{uri}", "wais://h/", ""}, {"", "wais://h/", ""}, {"{scheme}://h", "wais://h/", ""},
	} {
		g, err := Parse("WAIS=" + c.template)
		got := ""
		if err == nil {
			u, _ := g.expand(uri.MustParse(c.in))
			got = u.String()
		}
		if got != c.want {
			t.Errorf("%s: %s, want %s (%v)", c.template, got, c.want, err)
		}
	}
	for _, bad := range []string{"wais", "=http://g/", "a b=http://g/", "1=http://g/"} {
		if _, err := Parse(bad); err == nil {
			t.Errorf("%s: got no error, want an error", bad)
		}
	}
}

func TestFromEnvironment(t *testing.T) {
	env := map[string]string{"WWW_wais_GATEWAY": "http://info.cern.ch:8001/", "WWW_news_GATEWAY": "http://g/{+uri}"}
	table, err := FromEnvironment(func(k string) string { return env[k] }, []string{"ftp", "wais", "news"})
	if err != nil || len(table) != 2 {
		t.Fatalf("got %v, %v; want len(table) 2", table, err)
	}
	if u, _ := table[0].expand(uri.MustParse("wais://h:210/db?x")); u.String() != "http://info.cern.ch:8001/h:210/db?x" {
		t.Errorf("got %v, want \"http://info.cern.ch:8001/h:210/db?x\"", u)
	}
	env["WWW_wais_GATEWAY"] = "nonsense"
	if _, err := FromEnvironment(func(k string) string { return env[k] }, []string{"wais"}); err == nil {
		t.Error("got no error for an invalid variable")
	}
}

// planEnd is a scheme whose documents are empty.
func planEnd(u uri.URI, _ *fetch.Options) (*fetch.Plan, error) {
	return &fetch.Plan{Steps: []fetch.Step{{Verb: "x"}}, Run: runEnd}, nil
}

func runEnd(_ context.Context, p *fetch.Plan, _ *fetch.Env) (*fetch.Document, error) {
	return fetch.NewDocument(nil), nil
}

func TestApply(t *testing.T) {
	base := []fetch.Scheme{{Names: []string{"a", "aa"}, Plan: planEnd}, {Names: []string{"b"}, Plan: planEnd,
		Settings: []fetch.Setting{{Key: "b.x"}}}}
	list, err := Apply(base, []Rule{{"a", "new:{+uri}"}, {"new", "b:{uri}"}, {"new", "a:{uri}"}})
	if err != nil {
		t.Fatal(err)
	}
	if len(base[0].Names) != 2 {
		t.Error("the caller's list is changed")
	}
	c := fetch.New(list...)
	d, err := c.Get(context.Background(), uri.MustParse("a://h/"), nil)
	if err != nil || d.URI.String() != "b:new%3Aa%3A%2F%2Fh%2F" || len(d.Via) != 2 {
		t.Errorf("got %+v %v, want d.URI.String() %q and len(Via) 2", d, err, "b:new%3Aa%3A%2F%2Fh%2F")
	}
	if _, err := c.Get(context.Background(), uri.MustParse("aa:x"), nil); err != nil {
		t.Error(err)
	}
	for _, loop := range [][]Rule{{{"a", "a://g/{uri}"}}, {{"a", "b:{uri}"}, {"b", "a:{uri}"}}} {
		if _, err := Apply(base, loop); fetch.KindOf(err) != fetch.ErrRedirect {
			t.Errorf("got %v, %v; want ErrRedirect", loop, err)
		}
	}
}

// FuzzExpand: no URI can choose the target host.
func FuzzExpand(f *testing.F) {
	f.Add("wais://h/{uri}?{host}")
	g, err := Parse("wais=http://g.example/{uri}{host}{port}{path}{query}{rest}{authority}{scheme}")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, s string) {
		u, err := uri.Parse(s)
		if err != nil {
			return
		}
		to, err := g.expand(u)
		if err != nil || to.Scheme() != "http" || to.Host() != "g.example" || strings.ContainsAny(string(to.Path()[1:]), "/?#:@") {
			t.Fatalf("%q: got %s %v, want a URI on g.example", s, to, err)
		}
	})
}

func TestRDAP(t *testing.T) {
	g, err := Parse("whois=rdap")
	if err != nil {
		t.Fatal(err)
	}
	for in, want := range map[string]string{ // RFC 9082 section 3.1
		"whois://whois.iana.org/example.org":    "domain/example.org",
		"whois:example.org":                     "domain/example.org",
		"whois:xn--bcher-kva.example.":          "domain/xn--bcher-kva.example",
		"whois:b%C3%BCcher.example":             "domain/b%C3%BCcher.example",
		"whois:192.0.2.1":                       "ip/192.0.2.1",
		"whois:192.0.2.0/24":                    "ip/192.0.2.0/24",
		"whois:2001:db8::1":                     "ip/2001:db8::1",
		"whois:as64496":                         "autnum/64496",
		"whois:ASX":                             "entity/ASX",
		"whois:EXAMPLE-1":                       "entity/EXAMPLE-1",
		"whois:org":                             "entity/org",
		"whois:domain/org":                      "domain/org",
		"whois:NameServer/ns1.example.org":      "nameserver/ns1.example.org",
		"whois:ip/192.0.2.0/24":                 "ip/192.0.2.0/24",
		"whois:ip/x/y":                          "ip/x%2Fy",
		"whois:entity/a/../b":                   "entity/a%2F..%2Fb",
		"whois:ann@example.org":                 "entity/ann@example.org",
		"whois://h/?a+b":                        "entity/a%20b",
		"whois://h/":                            "help",
		"whois://h/a%3Fb%23c%0D%0Ad.e":          "domain/a%3Fb%23c%0D%0Ad.e",
		"whois://h/%2F%2Fother.example%2Fx.org": "entity/%2F%2Fother.example%2Fx.org",
	} {
		u, err := g.expand(uri.MustParse(in))
		if u.String() != "https://rdap.org/"+want || err != nil {
			t.Errorf("%s: got %s, %v; want %q", in, u, err, "https://rdap.org/"+want)
		}
	}
	if _, err := Parse("whois=nosuch"); fetch.KindOf(err) != fetch.ErrLocal {
		t.Errorf("an unknown name: got %v, want ErrLocal", err)
	}
}

// TestRDAPAsksForItsType: RFC 7480 section 4.2.
func TestRDAPAsksForItsType(t *testing.T) {
	g, err := Parse("whois=rdap")
	if err != nil {
		t.Fatal(err)
	}
	for _, given := range [][]string{nil, {"text/html"}} {
		o := &fetch.Options{Accept: given}
		p, err := g.plan(uri.MustParse("whois:example.org"), o)
		want := given
		if want == nil {
			want = []string{"application/rdap+json"}
		}
		if err != nil || !slices.Equal(o.Accept, want) || len(p.Refers) != 1 {
			t.Errorf("%v: got %v, %v; want Accept %v and len(Refers) 1", given, o.Accept, err, want)
		}
	}
}

// FuzzRDAP: any query stays in the path after its kind.
func FuzzRDAP(f *testing.F) {
	f.Add("whois://h/example.org")
	f.Add("whois:ip/../%2e%2e/x?y#z")
	f.Fuzz(func(t *testing.T, s string) {
		u, err := uri.Parse(s)
		if err != nil {
			return
		}
		to, err := uri.Parse("https://rdap.org/" + rdapPath(u))
		_, query := to.Query()
		path := string(to.Path())
		if err != nil || to.Hostname() != "rdap.org" || query || path != "/help" && strings.Count(path, "/") != 2 &&
			!strings.HasPrefix(path, "/ip/") {
			t.Fatalf("%q: got %q, %v; want an RDAP path on rdap.org", s, to, err)
		}
	})
}
