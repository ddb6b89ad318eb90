package waistest

import (
	"io"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"example.org/deref/fetch/fetchtest/loopback"
	"example.org/deref/schemes/wais/internal/z3950"
	"example.org/deref/testdata"
)

func files() fstest.MapFS {
	file := func(s string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(s)} }
	return fstest.MapFS{
		"a.txt":       file("Apples and pears\napple apple tart\n"),
		"b.txt":       file("Pears\npear tree\n"),
		"c.txt":       file("Cr\xe8me, PEARS\n"),
		"d.HTML":      file("<title>No text\n beside it</title>"),
		"e.gif":       file("GIF89a"),
		"f.void":      file(""),
		".hidden":     file("pears"),
		".git/config": file("pears"),
	}
}

// talk is a connection to a server.
type talk struct {
	net.Conn
	in *z3950.Reader
}

func dial(t testing.TB, s *loopback.Server) *talk {
	t.Helper()
	c, err := net.Dial("tcp", s.Addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	c.SetDeadline(time.Now().Add(10 * time.Second))
	return &talk{c, z3950.NewReader(c, 1<<20)}
}

func (c *talk) ask(apdu []byte) (*z3950.Response, error) {
	c.Write(z3950.Frame(apdu))
	_, answer, err := c.in.Next()
	if err != nil || len(answer) == 0 {
		return nil, err
	}
	return z3950.ParseResponse(answer)
}

func titles(t *testing.T, s *loopback.Server, words string) string {
	t.Helper()
	r, err := dial(t, s).ask(z3950.NewWords(words, 40, "site").Append(nil))
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, h := range r.Hits {
		list = append(list, h.Headline)
	}
	return strings.Join(list, "|")
}

func TestSearch(t *testing.T) {
	s := NewServer(files(), nil)
	defer s.Close()
	const nothing = "Search produced no result. Here's the Catalog for database: site"
	for words, want := range map[string]string{
		"apple":                "Apples and pears",
		"APPLE tart":           "Apples and pears",
		"pear":                 "Pears",
		"pears":                "Apples and pears|Pears|Cr\xe8me, PEARS",
		"pears and apple":      "Apples and pears",
		"pears not apple":      "Pears|Cr\xe8me, PEARS",
		"tart or tree":         "Apples and pears|Pears",
		"app*":                 "Apples and pears",
		"cr\xe8me":             "Cr\xe8me, PEARS",
		"CR\xc8ME":             "Cr\xe8me, PEARS",
		"beside":               "No text beside it",
		"gif":                  "e.gif",
		"void":                 "f.void",
		"hidden":               nothing,
		"xyzzy":                nothing,
		"!":                    nothing,
		"not":                  nothing,
		"pears and xyzzy":      nothing,
		"?":                    "Information on database: site|Catalog for database: site",
		"":                     "Information on database: site|Catalog for database: site",
		strings.Repeat("x", 9): nothing,
	} {
		if got := titles(t, s, words); got != want {
			t.Errorf("%q: %q, not %q", words, got, want)
		}
	}
}

// TestDiagnostics: freeWAIS-sf reads the words before it opens the database, so "?" in a missing one is a syntax error and nothing else.
func TestDiagnostics(t *testing.T) {
	s := NewServer(files(), &Options{Folder: "db/", Databases: []Database{{Name: "site", Fields: []string{"subject"}}}})
	defer s.Close()
	for _, c := range []struct {
		database, words string
		hits            int
		want            string
	}{
		{"site", "?", 2, "query syntax error: ?"},
		{"site", "", 2, ""},
		{"site", "*", 2, ""},
		{"site", "?apple", 3, ""},
		{"site", "!", 1, "query syntax error: !"},
		{"site", "not", 1, "query syntax error: not"},
		{"site", "subject=apple", 1, ""},
		{"site", "author=apple", 1, "field unexists: author\n"},
		{"nosuch", "?", 0, "query syntax error: ?"},
		{"nosuch", "*", 0, "The following database is not available: db/nosuch"},
		{"nosuch", "apple", 0, "The following database is not available: db/nosuch"},
	} {
		r, err := dial(t, s).ask(z3950.NewWords(c.words, 40, c.database).Append(nil))
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, d := range r.Diagnostics {
			got += d.Text
		}
		if len(r.Hits) != c.hits || got != c.want {
			t.Errorf("%s %q: got %d hits and %q, want %d and %q", c.database, c.words, len(r.Hits), got, c.hits, c.want)
		}
	}
}

// TestCrashes: if freeWAIS would crash, the connection ends and the transcript contains the reason.
func TestCrashes(t *testing.T) {
	s := NewServer(files(), nil)
	defer s.Close()
	id := "\x02\x04site\x03\x05a.txt"
	for name, r := range map[string]z3950.Request{
		"no type":           {DocID: id, Unit: z3950.Byte, End: 10},
		"a type of its own": {DocID: id, Type: "text", Unit: z3950.Byte, End: 10},
		"end = start":       {DocID: id, Type: "TEXT", Unit: z3950.Byte, Start: 5, End: 5},
		"end < start":       {DocID: id, Type: "TEXT", Unit: z3950.Line, Start: 5, End: 4},
		"no database":       {DocID: "\x03\x05a.txt", Type: "TEXT", Unit: z3950.Byte, End: 10},
	} {
		before := len(s.Transcript())
		if r, err := dial(t, s).ask(z3950.NewRetrieval("site", r).Append(nil)); err != io.EOF {
			t.Errorf("%s: %+v, %v", name, r, err)
		}
		if said := s.Transcript()[before:]; !slices.ContainsFunc(said, func(l string) bool { return strings.HasPrefix(l, "crash: ") }) {
			t.Errorf("%s: %q", name, said)
		}
	}
	for name, r := range map[string]z3950.Request{
		"no range":   {DocID: id, Type: "TEXT"},
		"paragraphs": {DocID: id, Type: "TEXT", Unit: z3950.Paragraph, End: 2},
	} {
		if r, err := dial(t, s).ask(z3950.NewRetrieval("site", r).Append(nil)); err != nil || len(r.Texts)+len(r.Diagnostics) != 0 {
			t.Errorf("%s: %+v, %v", name, r, err)
		}
	}
}

// TestManyDocumentsAtOnce: requests joined by OR are answered together.
func TestManyDocumentsAtOnce(t *testing.T) {
	s := NewServer(files(), nil)
	defer s.Close()
	q := z3950.NewRetrieval("site", z3950.Request{DocID: "\x02\x04site\x03\x05a.txt", Type: "TEXT", Unit: z3950.Byte, End: 6})
	q.Documents = append(q.Documents, z3950.Request{DocID: "\x02\x04site\x03\x05b.txt", Type: "TEXT", Unit: z3950.Byte, End: 5},
		z3950.Request{DocID: "\x02\x05other\x03\x05b.txt", Type: "TEXT", Unit: z3950.Byte, End: 5})
	r, err := dial(t, s).ask(q.Append(nil))
	if err != nil || len(r.Texts) != 2 || string(r.Texts[0].Text) != "Apples" || string(r.Texts[1].Text) != "Pears" ||
		len(r.Diagnostics) != 1 {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestVersions(t *testing.T) {
	s := NewServer(files(), nil)
	defer s.Close()
	apdu := z3950.NewWords("apple", 40, "site").Append(nil)
	for version, answered := range map[byte]bool{'2': true, '1': true, ' ': true, '3': false} {
		h := z3950.NewHeader(len(apdu))
		h.Version, h.Server = version, "other"
		c := dial(t, s)
		c.Write(append(h.Append(nil), apdu...))
		got, _, err := c.in.Next()
		if (err == nil) != answered || answered && (got.Server != "other" || got.Version != version) {
			t.Errorf("version %q: %+v, %v", version, got, err)
		}
	}
}

func TestCloseEndsEverything(t *testing.T) {
	s := NewServer(files(), &Options{Faults: &Faults{StallAfter: 5}})
	silent, stalled := dial(t, s), dial(t, s)
	stalled.Write(z3950.Frame(z3950.NewWords("apple", 1, "site").Append(nil)))
	if _, err := io.ReadFull(stalled, make([]byte, 5)); err != nil {
		t.Fatal(err)
	}
	s.Close()
	s.Close()
	for _, c := range []*talk{silent, stalled} {
		if _, err := c.Read(make([]byte, 1)); err == nil {
			t.Error("still open")
		}
	}
	if s.Sessions() > 2 {
		t.Errorf("%d sessions", s.Sessions())
	}
}

// TestLongWords: a diagnostic about long words has a length of two bytes.
func TestLongWords(t *testing.T) {
	s := NewServer(files(), nil)
	defer s.Close()
	r, err := dial(t, s).ask(z3950.NewWords("?"+strings.Repeat("!", 80000), 40, "site").Append(nil))
	if err != nil || len(r.Hits) != 2 || len(r.Diagnostics) != 1 {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestManyClients share the index, which the first of them makes.
func TestManyClients(t *testing.T) {
	s := NewServer(testdata.Site(), nil)
	defer s.Close()
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			r, err := dial(t, s).ask(z3950.NewWords("wide area servers", 40, "site").Append(nil))
			if err != nil || len(r.Hits) == 0 || r.Hits[0].Headline != "wais" || r.Hits[0].Score != 1000 {
				t.Errorf("%+v, %v", r, err)
			}
		})
	}
	wg.Wait()
	if s.Sessions() != 8 {
		t.Errorf("%d sessions", s.Sessions())
	}
}

// FuzzAnswer: any APDU results in a valid response, an empty one, or a crash that freeWAIS has, too.
func FuzzAnswer(f *testing.F) {
	const id = "\x02\x04demo\x03\x05a.txt"
	lines, next := z3950.NewWords("pears", 9, "demo"), z3950.NewWords("", 9, "demo")
	lines.Like = []z3950.Feedback{{DocID: id, Type: "TEXT", Unit: z3950.Line, End: 2}}
	next.Like = []z3950.Feedback{{DocID: id, Type: "WAIS_NEXT"}}
	for _, apdu := range [][]byte{
		z3950.NewWords("?", 9, "demo").Append(nil), lines.Append(nil), next.Append(nil), (&z3950.Init{PreferredSize: 9}).AppendInit(nil), {0, 1, z3950.PDUPresent},
		z3950.NewRetrieval("demo", z3950.Request{DocID: id, Type: "TEXT", Unit: z3950.Line, End: 2}).Append(nil),
	} {
		f.Add(apdu)
	}
	s := &server{fsys: files(), o: Options{Databases: []Database{{Name: "demo"}}, Size: frameSize}}
	s.addDatabases()
	f.Cleanup(loopback.Must(loopback.Start(s, "wais", "", s.serve)).Close)
	f.Fuzz(func(t *testing.T, apdu []byte) {
		answer, ok := s.answer(apdu)
		if !ok || len(answer) == 0 {
			return
		}
		pdu, _, _, err := z3950.Split(answer)
		if err == nil && pdu == z3950.PDUSearchResponse {
			_, err = z3950.ParseResponse(answer)
		}
		if err != nil {
			t.Fatalf("%q is answered by %q: %v", apdu, answer, err)
		}
	})
}
