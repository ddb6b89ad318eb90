package wais

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fetchtest"
	"example.org/deref/schemes/internal/schemetest"
	"example.org/deref/schemes/wais/internal/z3950"
	"example.org/deref/uri"
)

func TestMain(m *testing.M) {
	fetchtest.Overlap()
	m.Run()
}

func TestRows(t *testing.T) {
	if n := schemetest.Rows(t, Scheme()); n < 10 {
		t.Errorf("got %d rows, want at least 10", n)
	}
}

func TestReading(t *testing.T) {
	for _, c := range []struct {
		in   string
		mode uri.Mode
		want string // "" is a refusal
	}{
		{"wais://h/db/", uri.RFC3986, "database db"},
		{"wais://h/db/demo", uri.RFC3986, "database db/demo"},   // freeWAIS databases are paths
		{"wais://h/db%2Fdemo", uri.RFC3986, "database db/demo"}, // section 4: escaped
		{"wais://h/db/demo?tide", uri.RFC3986, "search db/demo tide"},
		{"wais://h/db?", uri.RFC3986, "search db "},             // empty words request help
		{"wais://h/db?a+b%2Bc", uri.RFC3986, "search db a b+c"}, // D21
		{"wais://h/db/TEXT/", uri.RFC3986, "database db/TEXT"},
		{"wais://h/db/TEXT/a%2Fb", uri.RFC3986, "document db TEXT a/b local"},
		{"wais://h/db/TEXT/12/doc", uri.RFC3986, "document db TEXT 12/doc local"}, // digits only before tokens
		{"wais://h/db/TEXT/12/doc", uri.URL6, "document db TEXT 12:doc local"},
		{"wais://h/db/TEXT/doc", uri.URL6, ""},
		{"wais://h/db/TEXT/12/3=a;", uri.RFC3986, "document db TEXT 12:3=a; tokens"},
		{"wais://h/db/TEXT,HTML/3=a;", uri.RFC3986, "document db TEXT,HTML 3=a; tokens"},
		{"wais://h/db/TEXT/2=a;", uri.RFC3986, "document db TEXT 2=a; local"}, // a DocID without a local id crashes servers
		{"wais://h/db/TEXT/3=a", uri.RFC3986, "document db TEXT 3=a local"},
		{"wais://h/db/TEXT/%02%02db%03%01x", uri.RFC3986, "document db TEXT \x02\x02db\x03\x01x raw"},
		{"wais://h/db/TEXT/%03%05x", uri.RFC3986, "document db TEXT \x03\x05x local"},
		{"wais:db", uri.RFC3986, ""}, {"wais:///db", uri.RFC3986, ""}, {"wais://h//TEXT/x", uri.RFC3986, ""},
		{"wais://h/db@other.example?x", uri.RFC3986, ""}, {"wais://h/db%40o/TEXT/x", uri.RFC3986, ""},
		{"wais://h/a%1Fb", uri.RFC3986, ""}, {"wais://h/?x", uri.RFC3986, ""},
		{"wais://h/db/TEXT/" + strings.Repeat("a", maxDocID), uri.RFC3986, ""},
	} {
		got := ""
		r, err := parse(uri.MustParse(c.in), c.mode)
		if err == nil {
			got = words(r)
		}
		if got != c.want {
			t.Errorf("%s %.60s: %q, want %q (%v)", c.mode, c.in, got, c.want, err)
		}
	}
}

func words(r *request) string {
	w := r.What + " " + string(r.Database)
	if r.Search != nil {
		w += " " + string(*r.Search)
	}
	if r.WType != nil {
		w += " " + string(*r.WType) + " "
	}
	if r.Length != nil {
		b, _ := json.Marshal(*r.Length)
		w += string(b) + ":"
	}
	if r.WPath != nil {
		w += string(*r.WPath) + " " + string(r.Form)
	}
	return w
}

// TestDocID checks an example byte for byte.
func TestDocID(t *testing.T) {
	r, err := parse(uri.MustParse("wais://h/db/TEXT/1=localhost%3A21010;2=db/demo;3=0%20148%20docs/tides.txt;"+
		"4=localhost%3A21010;5=db/demo;6=0%20148%20docs/tides.txt;7=%00;"), uri.RFC3986)
	if err != nil {
		t.Fatal(err)
	}
	half := func(a, b, c string) string {
		return a + "\x0flocalhost:21010" + b + "\x07db/demo" + c + "\x140 148 docs/tides.txt"
	}
	if want := half("\x01", "\x02", "\x03") + half("\x04", "\x05", "\x06") + "\x07\x01\x00"; string(r.DocID) != want {
		t.Errorf("got %q, want %q", r.DocID, want)
	}
}

func TestPlans(t *testing.T) {
	doc := "wais://h/db/TEXT/x"
	const id = `"\x02\x02db\x03\x01x"`
	const source = "\nretrieve db WSRC bytes <n>-<n+98000> \"<DocID>\" {if the search answered a record of the type WSRC} {again until " +
		"the document ends}"
	const word = "\nsearch db most 40 \"help\" {if the server finds a syntax error in the request for help}"
	ranged := func(from, to int64) fetch.Options { return fetch.Options{Range: fetch.Range{From: from, To: to}} }
	fetchtest.Plans(t, []fetchtest.PlanCase{
		{URI: "wais://h/db?two+words", Want: "tcp h:210 none search\nsearch db most 40 \"two words\"" + source},
		{URI: "wais://h:8000/db", Options: fetch.Options{Search: []string{"a", "b"}, Set: map[string][]string{setMax: {"7"}}},
			Want: "tcp h:8000 none search\nsearch db most 7 \"a b\"" + source},
		{URI: "wais://h/db", Want: "tcp h:210 none document application/x-wais-source\nsearch db most 40 \"?\"" + word + source},
		{URI: "wais://h/db?%3Ftide", Want: "tcp h:210 none search\nsearch db most 40 \"?tide\"" + word + source},
		{URI: doc, Options: *set(setChunk, "10000"), Want: "tcp h:210 none document text/plain\nretrieve db TEXT bytes <n>-<n+10000> " + id +
			" {again until the document ends}"},
		{URI: "wais://h/db?cr%C3%A8me+br%C3%BBl%C3%A9e", Want: "tcp h:210 none search\nsearch db most 40 \"cr\\xe8me br\\xfbl\\xe9e\"" + source},
		{URI: "wais://h/db?cr%E8me", Want: "tcp h:210 none search\nsearch db most 40 \"cr\\xe8me\"" + source},
		{URI: "wais://h/db?x", Options: fetch.Options{Search: []string{"cr\u00e8me"}},
			Want: "tcp h:210 none search\nsearch db most 40 \"x cr\\xe8me\"" + source},
		// not in ISO Latin 1
		{URI: "wais://h/db?%CE%B1+cr%C3%A8me", Want: "tcp h:210 none search\nsearch db most 40 \"\u03b1 cr\u00e8me\"" + source},
		// two characters
		{URI: "wais://h/db?cr%C3%A8me", Options: fetch.Options{Mode: uri.RFC1630},
			Want: "tcp h:210 none search\nsearch db most 40 \"cr\u00e8me\"" + source},
		{URI: doc, Want: "tcp h:210 none document text/plain\nretrieve db TEXT bytes <n>-<n+98000> " + id + " {again until the document ends}"},
		{URI: doc, Options: ranged(5, 99), Want: "tcp h:210 none document text/plain\nretrieve db TEXT bytes 5-99 " + id},
		{URI: doc, Options: ranged(5, 0), Want: "tcp h:210 none document text/plain\nretrieve db TEXT bytes <n>-<n+98000> " + id +
			" {again until the document ends, from octet 5}"},
		{URI: doc, Options: ranged(5, 200000), Want: "tcp h:210 none document text/plain\nretrieve db TEXT bytes <n>-<n+98000> " + id +
			" {again until octet 200000, from octet 5}"},
		{URI: doc, Options: ranged(-5, 0), Kind: fetch.ErrRange},
		{URI: doc, Options: ranged(5, 5), Kind: fetch.ErrRange}, // end <= start kills servers
		{URI: "wais://h/db/PS/148/3=x;", Want: "tcp h:210 none document application/postscript\nretrieve db PS bytes 0-148 " + id},
		{URI: "wais://h/db/PS/148/3=x;", Options: ranged(-8, 0),
			Want: "tcp h:210 none document application/postscript\nretrieve db PS bytes 140-148 " + id},
		{URI: "wais://h/db/PS/148/3=x;", Options: ranged(148, 0), Kind: fetch.ErrRange},
		{URI: "wais://h/db/TEXT,GIF/x", Options: fetch.Options{Accept: []string{"image/gif"}},
			Want: "tcp h:210 none document image/gif\nretrieve db GIF bytes <n>-<n+98000> " + id + " {again until the document ends}"},
		{URI: "wais://h/db?" + strings.Repeat("x", 100000), Kind: fetch.ErrRefusedURL}, // servers have no room for more
		{URI: "wais://h/" + strings.Repeat("x", 2000) + "?x", Kind: fetch.ErrRefusedURL},
		{URI: "wais://h/db/" + strings.Repeat("X", 21) + "/x", Kind: fetch.ErrRefusedURL},
		{URI: "wais://h/db/1/x", Kind: fetch.ErrRefusedURL}, // servers cut a type at the first byte that is not a capital letter
		{URI: "wais://h/db/text/x", Want: "tcp h:210 none document text/plain\nretrieve db TEXT bytes <n>-<n+98000> " + id +
			" {again until the document ends}"},
		{URI: "wais://quake.think.com/wais-discussion-archives?lynch", // the drafts' own
			Want: "tcp quake.think.com:210 none search\nsearch wais-discussion-archives most 40 \"lynch\"" + strings.Replace(source, "db",
				"wais-discussion-archives", 1)},
		{URI: "wais://h/db?x", Options: fetch.Options{Search: []string{"cr\u00e8me"}, Mode: uri.RFC1630},
			Want: "tcp h:210 none search\nsearch db most 40 \"x cr\\xe8me\"" + source},
		{URI: "wais://h/db", Options: fetch.Options{Search: []string{"\u03b1"}, Mode: uri.RFC1630}, Kind: fetch.ErrRefusedURL},
		{URI: "wais://h/db", Options: *set(setLike, "wais://h/db/TEXT/x#lines=0-3", setAlso, "b", setDate, "940101-941231"),
			Want: "tcp h:210 none search\n" +
				"search db also b most 40 date 940101-941231 like TEXT 2=db;3=x; lines=0-3" + source},
		{URI: doc, Options: *set(setLines, "0-2"), Want: "tcp h:210 none document text/plain\nretrieve db TEXT lines 0-2 " + id},
		{URI: doc, Options: *set(setInit, "yes"),
			Want: "tcp h:210 none document text/plain\ninit 100000\nretrieve db TEXT bytes <n>-<n+98000> " + id +
				" {again until the document ends}"},
		{URI: "wais://h/db/a%20b/x", Kind: fetch.ErrRefusedURL},
		{URI: "wais://h/db?x", Options: ranged(1, 0), Kind: fetch.ErrRange},
		{URI: "wais://h/db?x", Options: fetch.Options{Set: map[string][]string{setMax: {"0"}}}, Kind: fetch.ErrUnsupported},
		{URI: "wais://h/db?x", Options: fetch.Options{Op: fetch.Metadata}, Kind: fetch.ErrUnsupported},
		{URI: "wais://-h/db", Kind: fetch.ErrRefusedURL},
	}, Scheme())
}

// TestElements: the elements of a DocID are shown, however it is written.
func TestElements(t *testing.T) {
	for in, want := range map[string]string{
		"wais://h/db/TEXT/%02%02db%03%01%FF":               `[[2,"db"],[3,{"base64":"/w=="}]]`,
		"wais://h/db/TEXT/2=db;3=%FF;":                     `[[2,"db"],[3,{"base64":"/w=="}]]`,
		"wais://h/db/TEXT/%01%01h%02%02db%03%01x%07%01%00": `[[1,"h"],[2,"db"],[3,"x"],[7,"\u0000"]]`,
	} {
		r, err := parse(uri.MustParse(in), uri.RFC3986)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := json.Marshal(r.Fields); err != nil || string(got) != want {
			t.Errorf("%s: got %s, %v, want %s", in, got, err, want)
		}
	}
}

// TestInjection: words and DocIDs are carried by length, so only names that go into fixed places are refused.
func TestInjection(t *testing.T) {
	fetchtest.Injection(t, []string{"wais://h/db{}", "wais://h/db{}?x", "wais://h/db{}/TEXT/x", "wais://h/db/TEXT{}/x", "wais://h{}/db"},
		nil, Scheme())
}

func FuzzReading(f *testing.F) {
	fetchtest.Fuzz(f, []string{"wais://h/db", "wais://h/db?x+y", "wais://h/db/TEXT/12/1=a;3=b;", "wais://h/db/T/%03%01x", "wais://h/a@b?c",
		"wais://h/db/%0d/x"}, Scheme())
}

// FuzzDocID: encoded elements are parsed as the same elements, and a DocID always contains the local id, without which servers crash.
func FuzzDocID(f *testing.F) {
	f.Add("3=a;")
	f.Add("1=h%3A210;2=db;3=0%2099;")
	f.Add("%03%01x")
	f.Fuzz(func(t *testing.T, path string) {
		u, err := uri.Parse("wais://h/db/TEXT/" + path)
		if err != nil {
			return
		}
		r, err := parse(u, uri.RFC3986)
		if err != nil || r.What != whatDocument {
			return
		}
		for _, f := range r.Fields {
			if f.tag > 7 {
				return // an element of the future: passed on
			}
		}
		if _, ok := elements(string(r.DocID)); !ok {
			t.Fatalf("%q: got DocID %q, want elements with a local id", path, r.DocID)
		}
	})
}

// FuzzHits checks that the URI of a hit parses to exactly its DocID, and that no URI has a DocID that crashes servers.
func FuzzHits(f *testing.F) {
	for _, name := range []string{"search-help", "search-info", "search-multi", "search-url", "search-latin1", "next-doc"} {
		f.Add(traceAPDUs(f, name, serverSide)[1])
	}
	x := &exchange{request: &request{Database: "db/a b"}, plan: &fetch.Plan{URI: uri.MustParse("wais://[::1]:8000/db?x")}}
	f.Fuzz(func(t *testing.T, apdu []byte) {
		a, err := z3950.ParseResponse(apdu)
		if err != nil {
			return
		}
		for _, h := range a.Hits {
			e := x.entry(h)
			if e.URI.IsZero() || e.Kind == fetch.KindLink {
				continue
			}
			r, err := parse(e.URI, uri.RFC3986)
			if err != nil || string(r.DocID) != h.DocID || r.Database != x.Database || r.Host != "::1" || r.Port != 8000 {
				t.Fatalf("%q: got URI %s, which parses to %q, %v", h.DocID, e.URI, r.DocID, err)
			}
		}
	})
}

func TestPage(t *testing.T) { schemetest.Page(t, outcomes, Scheme()) }

func FuzzDecode(f *testing.F) {
	schemetest.FuzzDecode(f, Scheme(),
		"0000000077z2wais        0\x00\x12\x15\x01\x03",
		"0000000000z2wais      0",
		"0000000044z2wais        0\x00\x2a\x16\x00\x00\x1e\x00\x13\x88\x00\x00\x1e\x01\x11\x00\x12\x04site\x14\x013\x63\x08\x6a\x01x",
		string(z3950.Frame((&z3950.Response{Diagnostics: slices.Repeat([]z3950.Diagnostic{{Code: "SF"}}, 9000)}).Append(nil))),
	)
}
