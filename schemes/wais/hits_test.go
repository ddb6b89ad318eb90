package wais

import (
	"encoding/base64"
	"strings"
	"testing"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fetchtest"
	"example.org/deref/schemes/wais/internal/z3950"
	"example.org/deref/schemes/wais/waistest"
	"example.org/deref/uri"
)

func TestDescription(t *testing.T) {
	srv := start(t, nil)
	d, body, err := get(t, srv.URL+"/site", nil)
	if err != nil || !strings.HasPrefix(body, "(:source\n") || d.Type != "application/x-wais-source" {
		t.Errorf("got %q, %v, want a source file", body, err)
	}
	about := list(t, srv.URL+"/site", nil)
	if len(about) != 2 || about[0].Kind != fetch.KindSearch || about[0].URI.String() != srv.URL+"/site" ||
		about[0].Attr["description"] == nil ||
		about[1].Title != "Catalog for database: site" {
		t.Fatalf("got %+v, want the database and its catalogue", about)
	}
	if _, body, err := get(t, about[1].URI.String(), nil); err != nil || !strings.Contains(body, "Headline: Mooring rings") {
		t.Errorf("got %q, %v, want the catalogue", body, err)
	}
}

// TestSources: hits of the type WSRC are documents. After each comes an entry of the database that it describes.
func TestSources(t *testing.T) {
	srv := start(t, nil)
	found := list(t, srv.URL+"/site?elsewhere", nil)
	if len(found) != 2 || found[0].Type != "application/x-wais-source" || found[1].Kind != fetch.KindSearch ||
		found[1].URI.String() != "wais://other.example:8210/other%2Fdb" || found[1].Attr["description"][0] != "Tides elsewhere" {
		t.Errorf("got %+v, want a source file and its database", found)
	}
	if found = list(t, srv.URL+"/site?bad", nil); len(found) != 1 {
		t.Errorf("a bad source file: got %+v, want it alone", found)
	}
	if found = list(t, srv.URL+"/INFO?folder", nil); len(found) != 2 || found[1].URI.String() != srv.URL+"/site" {
		t.Errorf("got %+v, want a source file and %s/site", found, srv.URL)
	}
	if inside := list(t, found[0].URI.String(), nil); len(inside) != 1 || inside[0].URI != found[1].URI {
		t.Errorf("got %+v, want %+v", inside, found[1])
	}
}

func TestHits(t *testing.T) {
	srv := start(t, nil)
	e := list(t, srv.URL+"/site?mooring", nil)[0]
	if e.Title != "Mooring rings" || e.Modified.Format("2006-01-02") != "1994-03-14" || e.Precision != 24*time.Hour || !e.ZoneUnknown {
		t.Errorf("got %+v, want Mooring rings of 1994-03-14", e)
	}
	e = list(t, srv.URL+"/site?windmill", nil)[0]
	if got := e.Attr; len(got["types"]) != 2 || len(got["alternative"]) != 2 {
		t.Fatalf("got %+v, want 2 types and alternatives", e)
	}
	for _, want := range []struct {
		uri    string
		accept []string
		body   string
	}{
		{e.URI.String(), nil, "A windmill as text\n"},
		{e.URI.String(), []string{"text/html"}, "<p>A windmill as a page\n"},
		{e.Attr["alternative"][1], nil, "<p>A windmill as a page\n"},
	} {
		if _, body, err := get(t, want.uri, &fetch.Options{Accept: want.accept}); body != want.body || err != nil {
			t.Errorf("%s %s: got %q, %v, want %q", want.uri, want.accept, body, err, want.body)
		}
	}
	e = list(t, srv.URL+"/site?caf%E9", nil)[0]
	if e.Title != "Caf\u00e9" { // ISO Latin 1
		t.Errorf("got title %q, want Café", e.Title)
	}
	if e = list(t, srv.URL+"/site", &fetch.Options{Search: []string{"cr\u00e8me"}, Mode: uri.RFC1630})[0]; e.Title != "Caf\u00e9" {
		t.Errorf("got title %q, want Café", e.Title)
	}
	if none := list(t, srv.URL+"/site?xyzzyq", nil); len(none) != 0 {
		t.Errorf("got %+v, want no hits", none)
	}
	d, _, err := get(t, srv.URL+"/site?xyzzyq", nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, body, err := get(t, d.Header.Get("Catalogue"), nil); err != nil || !strings.HasPrefix(body, "Catalog for database: site\n") {
		t.Errorf("got %q, %v, want the catalogue", body, err)
	}
	if few := list(t, srv.URL+"/site?tide*", set(setMax, "2")); len(few) != 2 {
		t.Errorf("got %d hits, want 2", len(few))
	}
}

func TestLike(t *testing.T) {
	srv := start(t, nil)
	tides := list(t, srv.URL+"/site?chart", nil)[0].URI.String()
	if found := list(t, srv.URL+"/site?windmill", set(setLike, tides)); len(found) < 2 {
		t.Errorf("like: got %+v, want at least 2 hits", found)
	}
	if found := list(t, srv.URL+"/site?windmill", set(setLike, tides+"#lines=2-3", setDate, "later", setAlso, "other")); len(found) != 2 {
		t.Errorf("like a part: got %+v, want 2 hits", found)
	}
	for _, bad := range []*fetch.Options{set(setLike, "wais://h/db"), set(setLike, "x"), set(setLike, "http://h/db/TEXT/x"), set(setLike, tides+"#lines=x"), set(setDate, "soon"),
		set(setAlso, "db@other.example"), set(setLines, "4-4"), set(setChunk, "1"), set(setInit, "yes", setMax, "0")} {
		p := srv.URL + "/site?x"
		if bad.Set[setLines] != nil || bad.Set[setChunk] != nil {
			p = tides
		}
		if _, _, err := get(t, p, bad); err == nil {
			t.Errorf("%v: got no error", bad.Set)
		}
	}
}

func TestAddresses(t *testing.T) {
	srv := waistest.NewServer(files(), &waistest.Options{Databases: []waistest.Database{{
		Name: "urls", Type: "URL", Files: []string{"page.html", "link.txt"},
		Headline: func(name string, _ []byte) string { return "http://www.example.org/" + name },
	}}})
	defer srv.Close()
	found := list(t, srv.URL+"/urls?page", nil)
	if len(found) != 2 || found[0].Kind != fetch.KindLink || !strings.HasPrefix(found[0].URI.String(), "http://www.example.org/") {
		t.Errorf("got %+v, want 2 hits, the first a link", found)
	}
	d, _, err := get(t, srv.URL+"/urls/URL/link.txt", nil) // and no scheme http to follow it with
	if len(d.Referrals) != 1 || d.Referrals[0].URI.String() != "http://www.example.org/page" || fetch.KindOf(err) == "" {
		t.Errorf("got %+v, %v, want a referral to http://www.example.org/page", d, err)
	}
	if d, body, err := get(t, srv.URL+"/urls/URL/page.html", nil); err != nil || d.Type != "text/html" || !strings.HasPrefix(body, "<html>") {
		t.Errorf("got %q, %v, want a page", body, err)
	}
}

// script makes a dialogue of APDUs, the client's first, in turn; a text among them is a line of its own.
func script(turns ...any) string {
	b, dir := &strings.Builder{}, "C= "
	for _, turn := range turns {
		switch v := turn.(type) {
		case string:
			b.WriteString(v + "\n")
		case []byte:
			b.WriteString(dir + base64.StdEncoding.EncodeToString(z3950.Frame(v)) + "\n")
			dir = map[string]string{"C= ": "S= ", "S= ": "C= "}[dir]
		}
	}
	return b.String()
}

const conformID = "\x02\x02db\x03\x01x"

func ask(from, to int) []byte {
	return z3950.NewRetrieval("db", z3950.Request{DocID: conformID, Type: "TEXT", Unit: z3950.Byte, Start: from, End: to}).Append(nil)
}

func answer(text string, said ...z3950.Diagnostic) []byte {
	r := &z3950.Response{ResultSetStatus: -1, ReferenceID: "3", Diagnostics: said}
	if text != "" {
		r.Texts = []z3950.Text{{DocID: conformID, Text: []byte(text)}}
	}
	return r.Append(nil)
}

func diagnostic(code, text string) z3950.Diagnostic {
	return z3950.Diagnostic{Code: code, Text: text, Surrogate: 1}
}

func TestConformance(t *testing.T) {
	trace := func(name string, i int) (c, s []byte) {
		return traceAPDUs(t, name, clientSide)[i], traceAPDUs(t, name, serverSide)[i]
	}
	search, found := trace("search-3words", 1)
	help, offered := trace("search-help", 1)
	source, described := trace("retrieve-src", 1)
	missing, no := trace("search-missing-db", 1)
	init := (&z3950.Init{Options: z3950.CanSearch, PreferredSize: frameSize, MaximumSize: frameSize}).AppendInit(nil)
	accepted := traceAPDUs(t, "search-help", serverSide)[0]
	refused := traceAPDUs(t, "init-refused", serverSide)[0]
	hit := z3950.NewHit()
	hit.DocID, hit.Types = conformID, []string{"WSRC"}
	listed := (&z3950.Response{ResultSetStatus: -1, PresentStatus: -1, Hits: []z3950.Hit{hit}}).Append(nil)
	wanted := z3950.NewRetrieval("demo", z3950.Request{DocID: conformID, Type: "WSRC", Unit: z3950.Byte, End: defaultChunk}).Append(nil)
	long := strings.Repeat("0123456789", 20)
	small := *set(setChunk, "100")
	fetchtest.Test(t, Scheme(),
		fetchtest.Case{Name: "search", URI: "wais://h/demo?winter+pruning+apple", Type: fetch.ListingType,
			Script: script("*: [connected to 192.0.2.1:210]", search, found)},
		fetchtest.Case{Name: "description", URI: "wais://h/demo", Type: "application/x-wais-source", End: fetch.EndDeclared,
			Script: script(help, offered, "*: [if "+ifSource+"]", source, described)},
		fetchtest.Case{Name: "search that finds a source", URI: "wais://h/demo?%3F",
			Script: script(help, listed, "*: [if "+ifSource+"]", wanted, answer(`(:source :database-name "db")`))},
		fetchtest.Case{Name: "no database", URI: "wais://h/nosuch?tide", Err: fetch.ErrNotFound, Script: script(missing, no)},
		fetchtest.Case{Name: "chunks", URI: "wais://h/db/TEXT/x", Options: small, Body: long + "end", Type: "text/plain",
			End:    fetch.EndTerminated,
			Script: script(ask(0, 100), answer(long[:100]), ask(100, 200), answer(long[100:]), ask(200, 300), answer("end"))},
		fetchtest.Case{Name: "chunks to the end", URI: "wais://h/db/TEXT/x", Options: small, Body: long, End: fetch.EndTerminated,
			Script: script(ask(0, 100), answer(long[:100]), ask(100, 200), answer(long[100:]), ask(200, 300),
				answer("", diagnostic("SF", "Request out of range")))},
		fetchtest.Case{Name: "length in the URI", URI: "wais://h/db/TEXT/150/2=db;3=x;", Options: small, Body: long[:150], End: fetch.EndDeclared,
			Script: script(ask(0, 100), answer(long[:100]), ask(100, 150), answer(long[100:150]))},
		fetchtest.Case{Name: "shorter than said", URI: "wais://h/db/TEXT/150/2=db;3=x;", Options: small, Err: fetch.ErrTruncated,
			Script: script(ask(0, 100), answer(long[:100]), ask(100, 150), answer("short"))},
		fetchtest.Case{Name: "missing document", URI: "wais://h/db/TEXT/x", Options: small, Err: fetch.ErrNotFound,
			Script: script(ask(0, 100), answer("", diagnostic("SF", "Missing DocID in request")))},
		fetchtest.Case{Name: "void frame", URI: "wais://h/db/TEXT/x", Options: small, Err: fetch.ErrProtocol,
			Script: script(ask(0, 100), []byte{})},
		fetchtest.Case{Name: "init", URI: "wais://h/nosuch?tide", Options: *set(setInit, "yes"), Err: fetch.ErrNotFound,
			Script: script(init, accepted, missing, no)},
		fetchtest.Case{Name: "init refused", URI: "wais://h/demo?winter", Options: *set(setInit, "yes"), Err: fetch.ErrRefused,
			Script: script(init, refused)},
		fetchtest.Case{Name: "forwarding", URI: "wais://h/db@other.example?x", Err: fetch.ErrRefusedURL},
		fetchtest.Case{Name: "two chunks twice", URI: "wais://h/db/TEXT/x", Options: small, Times: 2,
			Script: script(ask(0, 100), answer(long[:100]), ask(100, 200), answer("end"), ask(0, 100), answer(long[:100]), ask(100, 200),
				answer("end"))},
	)
}
