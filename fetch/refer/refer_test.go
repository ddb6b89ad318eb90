package refer

import (
	"context"
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
