package wais

import (
	"strings"
	"testing"
	"testing/fstest"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fetchtest"
	"example.org/deref/fetch/fetchtest/loopback"
	"example.org/deref/schemes/wais/waistest"
	"example.org/deref/uri"
)

// files is a small site. A document of 10000 bytes ends with its chunk.
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

func start(t *testing.T, o *waistest.Options) *loopback.Server {
	t.Helper()
	s := waistest.NewServer(files(), o)
	t.Cleanup(s.Close)
	t.Cleanup(func() {
		for _, l := range s.Transcript() {
			if strings.HasPrefix(l, "crash") || strings.HasPrefix(l, "malformed") {
				t.Errorf("got %q, want no crash", l)
			}
		}
	})
	return s
}

// get dereferences s and reads everything.
func get(t *testing.T, s string, o *fetch.Options) (*fetch.Document, string, error) {
	t.Helper()
	return fetchtest.Get(t, s, o, Scheme())
}

// list dereferences s and returns the entries.
func list(t *testing.T, s string, o *fetch.Options) (entries []fetch.Entry) {
	t.Helper()
	c := fetch.New(Scheme())
	t.Cleanup(func() { c.Close() })
	for e, err := range c.Entries(t.Context(), uri.MustParse(s), o) {
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
	if len(found) != 1 || found[0].Title != "Reading a tide table" || found[0].Size != 53 || found[0].Attr["score"][0] != "1000" ||
		found[0].Attr["lines"][0] != "3" {
		t.Fatalf("got %+v, want the tide table with score 1000, 3 lines, 53 bytes", found)
	}
	d, body, err := get(t, found[0].URI.String(), nil)
	if err != nil || body != string(files()["tides.txt"].Data) || d.Type != "text/plain" || d.Size != 53 || d.End != fetch.EndDeclared {
		t.Errorf("got %q, %+v, %v, want the tide table", body, d, err)
	}
}

// TestEveryHitIsRetrievedByItsURI: a word finds all documents, and their URIs return them unchanged.
func TestEveryHitIsRetrievedByItsURI(t *testing.T) {
	srv := start(t, nil)
	found := map[string]bool{}
	for _, e := range list(t, srv.URL+"/site?tide*+txt+caf%E9+page+pixel+empty+0*+long+windmill+mooring+http+src", nil) {
		if e.Kind == fetch.KindSearch || e.Kind == fetch.KindUnknown {
			continue
		}
		r, err := parse(e.URI, uri.RFC3986)
		if err != nil {
			t.Fatal(err)
		}
		_, name, _ := strings.Cut(string(r.Fields[2].value), " ") // START END NAME
		_, name, _ = strings.Cut(name, " ")
		found[name] = true
		for _, init := range []string{"no", "yes"} {
			_, body, err := get(t, e.URI.String(), set(setInit, init))
			if err != nil || body != string(files()[name].Data) {
				t.Errorf("%s: got %.80q, %v, want %.80q", e.URI, body, err, files()[name].Data)
			}
		}
	}
	for name := range files() {
		if !found[name] && name != "mill.HTML" { // a type of mill.TEXT
			t.Errorf("%s: got no hit", name)
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
		{bare, nil, whole, 0, 25005, ""},
		{bare, set(setChunk, "10000"), whole, 0, -1, ""},
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
		{bare, &fetch.Options{Range: fetch.Range{From: 100}, IfSame: fetch.Validator{Tag: "x"}}, whole, 0, 25005, ""},
		{page, set(setLines, "0-1"), "Reading a tide table\n", 0, -1, ""},
		{page, set(setLines, "1-99"), "\nHeights are above chart datum.\n", 0, -1, ""},
		{page, set(setLines, "50-99"), "", 0, -1, ""},
		{srv.URL + "/site/TEXT/empty.txt", nil, "", 0, 0, ""},
		{srv.URL + "/site/TEXT/even.txt", nil, string(files()["even.txt"].Data), 0, 10000, ""},
		{srv.URL + "/site/TEXT/even.txt", set(setChunk, "10000"), string(files()["even.txt"].Data), 0, -1, ""}, // ends with its chunk
		{srv.URL + "/site/text/tides.txt", octets(0, 7), "Reading", 0, -1, ""},
		{srv.URL + "/site/TEXT/none.txt", nil, "", 0, 0, fetch.ErrNotFound},
		{srv.URL + "/site/TEXT/26000/2=site;3=long.txt;", nil, "", 0, 0, fetch.ErrTruncated}, // the document has shrunk
		{srv.URL + "/site/TEXT/54/2=site;3=tides.txt;", nil, "", 0, 0, fetch.ErrTruncated},
	} {
		d, body, err := get(t, c.uri, c.o)
		if fetch.KindOf(err) != c.kind {
			t.Errorf("%s %+v: got %v, want kind %q", c.uri, c.o, err, c.kind)
		} else if c.kind == "" && (body != c.body || d.Offset != c.offset || d.Size != c.size) {
			t.Errorf("%s %+v: got %d bytes from %d of %d, want %d from %d of %d", c.uri, c.o, len(body), d.Offset, d.Size, len(c.body), c.offset,
				c.size)
		}
	}
}
