package wais

import (
	"io"
	"strings"
	"testing"
	"testing/fstest"

	"example.org/deref/fetch"
	"example.org/deref/schemes/wais/waistest"
	"example.org/deref/uri"
)

// files are a small site. A document of 10000 octets ends with its chunk.
func files() fstest.MapFS {
	file := func(s string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(s)} }
	return fstest.MapFS{
		"tides.txt":     file("Reading a tide table\n\nHeights are above chart datum.\n"),
		"a b;c=d.txt":   file("An odd name; tide\n"),
		"cafe.txt":      file("Caf\xe9\nCr\xe8me\n"),
		"page.html":     file("<html><title>A page of tides</title>\n"),
		"pixel.gif":     file("GIF89a\x00\x01"),
		"empty.txt":     file(""),
		"even.txt":      file(strings.Repeat("0123456789", 1000)),
		"long.txt":      file("long\n" + strings.Repeat("0123456789", 2500)),
		"mill.TEXT":     file("A windmill as text\n"),
		"mill.HTML":     file("<p>A windmill as a page\n"),
		"news/1":        file("Subject: Mooring rings\nDate: Mon, 14 Mar 1994 10:00:00 GMT\n\nrings\n"),
		"link.txt":      file("http://www.example.org/page\n"),
		"sub/other.src": file("(:source :ip-name \"other.example\" :tcp-port 8210 :database-name \"other/db\" :description \"Tides elsewhere\")"),
		"sub/bad.src":   file("no source of tides"),
	}
}

func start(t *testing.T, o *waistest.Options) *waistest.Server {
	t.Helper()
	s := waistest.NewServer(files(), o)
	t.Cleanup(s.Close)
	t.Cleanup(func() {
		for _, l := range s.Transcript() {
			if strings.HasPrefix(l, "crash") || strings.HasPrefix(l, "malformed") {
				t.Error(l)
			}
		}
	})
	return s
}

// get dereferences s and reads everything.
func get(t *testing.T, s string, o *fetch.Options) (*fetch.Document, string, error) {
	t.Helper()
	c := fetch.New(Scheme())
	t.Cleanup(func() { c.Close() })
	d, err := c.Get(t.Context(), uri.MustParse(s), o)
	if d == nil {
		return nil, "", err
	}
	defer d.Body.Close()
	b, readErr := io.ReadAll(d.Body)
	if err == nil {
		err = readErr
	}
	return d, string(b), err
}

// list dereferences s and gives the entries.
func list(t *testing.T, s string, o *fetch.Options) (entries []fetch.Entry) {
	t.Helper()
	c := fetch.New(Scheme())
	t.Cleanup(func() { c.Close() })
	d, err := c.Get(t.Context(), uri.MustParse(s), o)
	if err != nil {
		t.Fatalf("%s: %v", s, err)
	}
	defer d.Body.Close()
	for e, err := range d.Entries {
		if err != nil {
			t.Fatalf("%s: %v", s, err)
		}
		entries = append(entries, e)
	}
	return entries
}

func set(list ...string) *fetch.Options {
	o := &fetch.Options{Set: map[string][]string{}}
	for i := 0; i < len(list); i += 2 {
		o.Set[list[i]] = append(o.Set[list[i]], list[i+1])
	}
	return o
}

func TestSearchAndRetrieve(t *testing.T) {
	srv := start(t, nil)
	found := list(t, srv.URL+"/site?chart+datum", nil)
	if len(found) != 1 || found[0].Title != "Reading a tide table" || found[0].Size != 53 || found[0].Attr["score"][0] != "1000" || found[0].Attr["lines"][0] != "3" {
		t.Fatalf("%+v", found)
	}
	d, body, err := get(t, found[0].URI.String(), nil)
	if err != nil || body != string(files()["tides.txt"].Data) || d.Type != "text/plain" || d.Size != 53 || d.End != fetch.EndDeclared {
		t.Errorf("%q %+v %v", body, d, err)
	}
}

// TestEveryHitIsRetrievedByItsURI: all documents are found by a word, and come by their URIs as they are.
func TestEveryHitIsRetrievedByItsURI(t *testing.T) {
	srv := start(t, nil)
	found := map[string]bool{}
	for _, e := range list(t, srv.URL+"/site?tide*+txt+caf%E9+page+pixel+empty+0*+long+windmill+mooring+http+src", nil) {
		if e.Kind == fetch.KindSearch || e.Kind == fetch.KindUnknown {
			continue
		}
		r, err := readingOf(e.URI, uri.RFC3986)
		if err != nil {
			t.Fatal(err)
		}
		_, name, _ := strings.Cut(string(r.Fields[2].value), " ") // START END NAME
		_, name, _ = strings.Cut(name, " ")
		found[name] = true
		for _, init := range []string{"no", "yes"} {
			_, body, err := get(t, e.URI.String(), set(setInit, init))
			if err != nil || body != string(files()[name].Data) {
				t.Errorf("%s: %.80q, %v", e.URI, body, err)
			}
		}
	}
	for name := range files() {
		if !found[name] && name != "mill.HTML" { // a type of mill.TEXT
			t.Errorf("%s is not found", name)
		}
	}
}

func TestDescription(t *testing.T) {
	srv := start(t, nil)
	d, body, err := get(t, srv.URL+"/site", nil)
	if err != nil || !strings.HasPrefix(body, "(:source\n") || d.Type != "application/x-wais-source" {
		t.Errorf("%q, %v", body, err)
	}
	about := list(t, srv.URL+"/site", nil)
	if len(about) != 2 || about[0].Kind != fetch.KindSearch || about[0].URI.String() != srv.URL+"/site" || about[0].Attr["description"] == nil ||
		about[1].Title != "Catalog for database: site" {
		t.Fatalf("%+v", about)
	}
	if _, body, err := get(t, about[1].URI.String(), nil); err != nil || !strings.Contains(body, "Headline: Mooring rings") {
		t.Errorf("%q, %v", body, err)
	}
}

// TestSources: hits of the type WSRC are documents, and followed by the databases that they describe.
func TestSources(t *testing.T) {
	srv := start(t, nil)
	found := list(t, srv.URL+"/site?elsewhere", nil)
	if len(found) != 2 || found[0].Type != "application/x-wais-source" || found[1].Kind != fetch.KindSearch ||
		found[1].URI.String() != "wais://other.example:8210/other%2Fdb" || found[1].Attr["description"][0] != "Tides elsewhere" {
		t.Errorf("%+v", found)
	}
	if found = list(t, srv.URL+"/site?bad", nil); len(found) != 1 {
		t.Errorf("a bad source file gives %+v", found)
	}
	if found = list(t, srv.URL+"/INFO?folder", nil); len(found) != 2 || found[1].URI.String() != srv.URL+"/site" {
		t.Errorf("%+v", found)
	}
	if inside := list(t, found[0].URI.String(), nil); len(inside) != 1 || inside[0].URI != found[1].URI {
		t.Errorf("%+v", inside)
	}
}

func TestHits(t *testing.T) {
	srv := start(t, nil)
	e := list(t, srv.URL+"/site?mooring", nil)[0]
	if e.Title != "Mooring rings" || e.Modified.Format("2006-01-02") != "1994-03-14" {
		t.Errorf("%+v", e)
	}
	e = list(t, srv.URL+"/site?windmill", nil)[0]
	if got := e.Attr; len(got["types"]) != 2 || len(got["alternative"]) != 2 {
		t.Fatalf("%+v", e)
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
			t.Errorf("%s %s: %q, %v", want.uri, want.accept, body, err)
		}
	}
	e = list(t, srv.URL+"/site?caf%E9", nil)[0]
	if e.Title != "Caf\u00e9" { // ISO Latin 1
		t.Errorf("%q", e.Title)
	}
	if e = list(t, srv.URL+"/site", &fetch.Options{Search: []string{"cr\u00e8me"}, Mode: uri.RFC1630})[0]; e.Title != "Caf\u00e9" {
		t.Errorf("%q", e.Title)
	}
	if none := list(t, srv.URL+"/site?xyzzyq", nil); len(none) != 0 {
		t.Errorf("%+v", none)
	}
	d, _, err := get(t, srv.URL+"/site?xyzzyq", nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, body, err := get(t, d.Header.Get("Catalogue"), nil); err != nil || !strings.HasPrefix(body, "Catalog for database: site\n") {
		t.Errorf("%q, %v", body, err)
	}
	if few := list(t, srv.URL+"/site?tide*", set(setMax, "2")); len(few) != 2 {
		t.Errorf("%d hits", len(few))
	}
}

func TestLike(t *testing.T) {
	srv := start(t, nil)
	tides := list(t, srv.URL+"/site?chart", nil)[0].URI.String()
	if found := list(t, srv.URL+"/site?windmill", set(setLike, tides)); len(found) < 2 {
		t.Errorf("%+v", found)
	}
	if found := list(t, srv.URL+"/site?windmill", set(setLike, tides+"#lines=2-3", setDate, "later", setAlso, "other")); len(found) != 2 {
		t.Errorf("%+v", found)
	}
	for _, bad := range []*fetch.Options{set(setLike, "wais://h/db"), set(setLike, "x"), set(setLike, tides+"#lines=x"), set(setDate, "soon"),
		set(setAlso, "db@other.example"), set(setLines, "4-4"), set(setChunk, "1"), set(setInit, "yes", setMax, "0")} {
		p := srv.URL + "/site?x"
		if bad.Set[setLines] != nil || bad.Set[setChunk] != nil {
			p = tides
		}
		if _, _, err := get(t, p, bad); err == nil {
			t.Errorf("%v is taken", bad.Set)
		}
	}
}

func TestParts(t *testing.T) {
	srv := start(t, nil)
	whole := string(files()["long.txt"].Data)
	bare, page := srv.URL+"/site/TEXT/long.txt", srv.URL+"/site/TEXT/tides.txt"
	sized := srv.URL + "/site/TEXT/25005/2=site;3=long.txt;"
	for _, c := range []struct {
		uri    string
		o      *fetch.Options
		body   string
		offset int64
		size   int64
		kind   fetch.Kind
	}{
		{bare, nil, whole, 0, -1, ""},
		{sized, nil, whole, 0, 25005, ""},
		{bare, set(setChunk, "99000"), whole, 0, 25005, ""},
		{bare, octets(24000, 0), whole[24000:], 24000, 25005, ""},
		{bare, octets(10, 20020), whole[10:20020], 10, -1, ""},
		{bare, octets(24000, 90000), whole[24000:], 24000, 25005, ""},
		{sized, octets(24000, 90000), whole[24000:], 24000, 25005, ""},
		{sized, octets(-5, 0), whole[25000:], 25000, 25005, ""},
		{bare, octets(25005, 0), "", 0, 0, fetch.ErrRange},
		{bare, octets(30000, 0), "", 0, 0, fetch.ErrRange},
		{bare, octets(1<<31, 0), "", 0, 0, fetch.ErrRange},
		{bare, &fetch.Options{Range: fetch.Range{From: 100}, IfSame: fetch.Validator{Tag: "x"}}, whole, 0, -1, ""},
		{page, set(setLines, "0-1"), "Reading a tide table\n", 0, -1, ""},
		{page, set(setLines, "1-99"), "\nHeights are above chart datum.\n", 0, -1, ""},
		{page, set(setLines, "50-99"), "", 0, -1, ""},
		{srv.URL + "/site/TEXT/empty.txt", nil, "", 0, 0, ""},
		{srv.URL + "/site/TEXT/even.txt", nil, string(files()["even.txt"].Data), 0, -1, ""},
		{srv.URL + "/site/text/tides.txt", octets(0, 7), "Reading", 0, -1, ""},
		{srv.URL + "/site/TEXT/none.txt", nil, "", 0, 0, fetch.ErrNotFound},
		{srv.URL + "/site/TEXT/26000/2=site;3=long.txt;", nil, "", 0, 0, fetch.ErrTruncated}, // the document has shrunk
		{srv.URL + "/site/TEXT/54/2=site;3=tides.txt;", nil, "", 0, 0, fetch.ErrTruncated},
	} {
		d, body, err := get(t, c.uri, c.o)
		if fetch.KindOf(err) != c.kind {
			t.Errorf("%s %+v: %v", c.uri, c.o, err)
		} else if c.kind == "" && (body != c.body || d.Offset != c.offset || d.Size != c.size) {
			t.Errorf("%s %+v: %d octets from %d of %d", c.uri, c.o, len(body), d.Offset, d.Size)
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
		t.Errorf("%+v", found)
	}
	d, _, err := get(t, srv.URL+"/urls/URL/link.txt", nil) // and no scheme http to follow it with
	if len(d.Referrals) != 1 || d.Referrals[0].URI.String() != "http://www.example.org/page" || fetch.KindOf(err) == "" {
		t.Errorf("%+v, %v", d, err)
	}
	if d, body, err := get(t, srv.URL+"/urls/URL/page.html", nil); err != nil || d.Type != "text/html" || !strings.HasPrefix(body, "<html>") {
		t.Errorf("%q, %v", body, err)
	}
}

func TestFaults(t *testing.T) {
	for _, c := range []struct {
		name string
		f    waistest.Faults
		kind fetch.Kind
	}{
		{"noise", waistest.Faults{Noise: "Connected.\r\n"}, ""},
		{"drops", waistest.Faults{Chunk: 1}, ""},
		{"a void frame", waistest.Faults{Void: true}, fetch.ErrProtocol},
		{"compressed", waistest.Faults{Compression: 'u'}, fetch.ErrProtocol},
		{"encoded", waistest.Faults{Encoding: 'h'}, fetch.ErrProtocol},
		{"no APDU", waistest.Faults{Raw: "x"}, fetch.ErrProtocol},
		{"an APDU of another kind", waistest.Faults{Raw: "\x00\x02\x15\x01"}, fetch.ErrProtocol},
		{"endless noise", waistest.Faults{Noise: strings.Repeat("x", 100)}, fetch.ErrProtocol},
		{"cut", waistest.Faults{CutAfter: 30}, fetch.ErrTruncated},
		{"broken", waistest.Faults{CutAfter: 30, Reset: true}, fetch.ErrTruncated},
	} {
		srv := start(t, &waistest.Options{Faults: &c.f})
		for _, path := range []string{"/site?chart", "/site/TEXT/tides.txt", "/site"} {
			for _, init := range []string{"", "yes"} {
				if _, _, err := get(t, srv.URL+path, set(setInit, init)); fetch.KindOf(err) != c.kind {
					t.Errorf("%s, %s: %v", c.name, path, err)
				}
			}
		}
	}
	srv := waistest.NewServer(files(), nil)
	defer srv.Close()
	if _, _, err := get(t, srv.URL+"/nosuch/TEXT/tides.txt", nil); fetch.KindOf(err) != fetch.ErrConnection { // freeWAIS crashes
		t.Errorf("%v", err)
	}
	if _, _, err := get(t, srv.URL+"/nosuch?x", nil); fetch.KindOf(err) != fetch.ErrNotFound {
		t.Errorf("%v", err)
	}
}

// TestSmallFrames: what Init agrees upon holds for the chunks.
func TestSmallFrames(t *testing.T) {
	srv := start(t, &waistest.Options{Size: 1000})
	whole := string(files()["long.txt"].Data)
	if _, body, err := get(t, srv.URL+"/site/TEXT/long.txt", set(setInit, "yes")); body != whole || err != nil {
		t.Errorf("%d octets, %v", len(body), err)
	}
	if _, _, err := get(t, srv.URL+"/site/TEXT/long.txt", nil); fetch.KindOf(err) != fetch.ErrProtocol {
		t.Errorf("%v", err)
	}
}

// TestOneConnection: requests share a connection while conversations end well, and none where one was left in the midst.
func TestOneConnection(t *testing.T) {
	srv := start(t, nil)
	c := fetch.New(Scheme())
	defer c.Close()
	visit := func(path string, whole bool) {
		d, err := c.Get(t.Context(), uri.MustParse(srv.URL+path), nil)
		if err != nil {
			if fetch.KindOf(err) != fetch.ErrNotFound {
				t.Error(err)
			}
			return
		}
		if whole {
			io.Copy(io.Discard, d.Body)
		}
		d.Body.Close()
	}
	for _, path := range []string{"/site?tide*", "/site", "/site/TEXT/long.txt", "/site/TEXT/none", "/nosuch?x", "/INFO?folder", "/site/TEXT/tides.txt"} {
		visit(path, true)
	}
	if n := srv.Sessions(); n != 1 {
		t.Errorf("%d connections", n)
	}
	visit("/site/TEXT/long.txt", false)
	visit("/site/TEXT/tides.txt", true)
	if n := srv.Sessions(); n != 2 {
		t.Errorf("%d connections", n)
	}
}

func TestRefusals(t *testing.T) {
	for code, want := range map[string][2]fetch.Kind{
		"S1 The following database is not available: x": {fetch.ErrNotFound, fetch.ErrNotFound},
		"S1 query syntax error: x":                      {fetch.ErrRefused, fetch.ErrRefused},
		"S1 system error":                               {fetch.ErrUnavailable, fetch.ErrTransfer},
		"SG presenting":                                 {fetch.ErrUnavailable, fetch.ErrTransfer},
		"S2 later":                                      {fetch.ErrUnavailable, fetch.ErrUnavailable},
		"SV locked":                                     {fetch.ErrUnavailable, fetch.ErrUnavailable},
		"SF Missing DocID in request":                   {fetch.ErrNotFound, fetch.ErrNotFound},
		"S3 x":                                          {fetch.ErrRefused, fetch.ErrRefused},
		"S5 stop words":                                 {fetch.ErrRefused, fetch.ErrRefused}, "S6 x": {fetch.ErrRefused, fetch.ErrRefused}, "SD x": {fetch.ErrRefused, fetch.ErrRefused},
		"SH not authorized": {fetch.ErrRefused, fetch.ErrRefused}, "T2 x": {fetch.ErrRefused, fetch.ErrRefused}, "SI x": {fetch.ErrRefused, fetch.ErrRefused},
		"?? \x1b[2J": {fetch.ErrRefused, fetch.ErrRefused},
	} {
		for i, begun := range []bool{false, true} {
			err := refusal(diagnostic(code[:2], code[3:]), begun)
			if fetch.KindOf(err) != want[i] || strings.Contains(err.Error(), "\x1b") {
				t.Errorf("%s: %v is %s", code, err, fetch.KindOf(err))
			}
		}
	}
}
