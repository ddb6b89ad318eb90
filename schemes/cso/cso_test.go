package cso

import (
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"
	"testing/fstest"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fetchtest"
	"example.org/deref/fetch/fetchtest/loopback"
	"example.org/deref/schemes/cso/csotest"
	"example.org/deref/schemes/internal/schemetest"
	"example.org/deref/uri"
)

func serve(t testing.TB, o *csotest.Options) *loopback.Server {
	t.Helper()
	file := func(s string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(s)} }
	srv := csotest.NewServer(fstest.MapFS{
		"lab/alice.txt": file("To build a lab.\nTel: 1234\n"),
		"lab/bob.txt":   file("Bob\n"),
		"octets.bin":    file("\xff\n"),
	}, o)
	t.Cleanup(srv.Close)
	return srv
}

func get(t testing.TB, s string, o *fetch.Options) (string, error) {
	t.Helper()
	_, body, err := fetchtest.Get(t, s, o, Scheme())
	return body, err
}

func TestQueries(t *testing.T) {
	srv := serve(t, nil)
	const alice, bob = "       alias: lab/alice.txt\r\n        name: lab alice\r\n", "       alias: lab/bob.txt\r\n        name: lab bob\r\n"
	for _, tt := range []struct{ path, said, body string }{
		{"/lab", "query lab", alice + "\r\n" + bob},
		{"/lab?al*", "query lab al*", alice},
		{"/?lab+al*", "query lab al*", alice},
		{"/alias=lab%2Falice.txt%20return%20text", "query alias=lab/alice.txt return text",
			"        text: To build a lab.\r\n            : Tel: 1234\r\n"},
		{"/octets%20return%20all", "query octets return all", "       alias: octets.bin\r\n        name: octets\r\n"},
	} {
		body, err := get(t, srv.URL+tt.path, nil)
		if err != nil || body != tt.body {
			t.Errorf("%s: got %q, %v, want %q", tt.path, body, err, tt.body)
		}
		if said := srv.Transcript(); !reflect.DeepEqual(said[len(said)-2:], []string{tt.said, "quit"}) {
			t.Errorf("%s: sent %q, want %q and quit last", tt.path, said, tt.said)
		}
	}
	if body, err := get(t, srv.URL, &fetch.Options{Search: []string{"bob"}}); err != nil || body != bob {
		t.Errorf("--search: got %q, %v, want %q", body, err, bob)
	}
}

func TestEntries(t *testing.T) {
	srv := serve(t, nil)
	list := func(path string) (got []fetch.Entry) {
		c := fetch.New(Scheme())
		defer c.Close()
		for e, err := range c.Entries(t.Context(), uri.MustParse(srv.URL+path), nil) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, e)
		}
		return got
	}
	got := list("/lab%20return%20all")
	want := map[string][]string{"alias": {"lab/alice.txt"}, "name": {"lab alice"}, "text": {"To build a lab.", "Tel: 1234"}}
	if len(got) != 2 || got[0].Title != "lab alice" || !reflect.DeepEqual(got[0].Attr, want) || got[1].Title != "lab bob" {
		t.Errorf("got %+v, want lab alice with %q, and lab bob", got, want)
	}
	if again := list(strings.TrimPrefix(got[0].URI.String(), srv.URL)); len(again) != 1 || again[0].Title != "lab alice" {
		t.Errorf("%s: got %+v, want lab alice", got[0].URI, again)
	}
	fields := list("/")
	if len(fields) != 3 || fields[2].Kind != fetch.KindText || fields[2].Title != "text: max 65536 Public; The text of a file." {
		t.Errorf("got %+v, want 3 fields, the last one text", fields)
	}
	if alone := list("/bob%20return%20text"); len(alone) != 1 || alone[0].Title != "Bob" || !alone[0].URI.IsZero() {
		t.Errorf("without an alias: got %+v, want Bob without a URI", alone)
	}
}

func TestRefusals(t *testing.T) {
	srv := serve(t, &csotest.Options{Most: 1})
	for path, want := range map[string]fetch.Kind{
		"/nobody":             fetch.ErrNotFound, // 501
		"/lab":                fetch.ErrRefused,  // 502
		"/lab%20return%20age": fetch.ErrNotFound, // 507
		"/return%20name":      fetch.ErrRefused,  // 515
	} {
		if _, err := get(t, srv.URL+path, nil); fetch.KindOf(err) != want {
			t.Errorf("%s: got %v, want kind %s", path, err, want)
		}
	}
}

func TestReplies(t *testing.T) {
	for text, want := range map[string]fetch.Kind{
		"200:Ok.\r\n":                "",
		"100:wait\r\n200:Ok.\r\n":    "",
		"400:no\r\n":                 fetch.ErrUnavailable,
		"-501:No\r\n501:matches\r\n": fetch.ErrNotFound,
		"506:log in\r\n":             fetch.ErrAuth,
		"598:what?\r\n":              fetch.ErrUnsupported,
		"503:no\r\n":                 fetch.ErrRefused,
		"300:more\r\n":               fetch.ErrProtocol,
		"HTTP/1.0 200 OK\r\n":        fetch.ErrProtocol,
		"-200:1: a: b\r\n":           fetch.ErrTruncated,
		"-200:1: a: b\r\n-200:-1: c: d\r\n200:Ok.\r\n":   fetch.ErrProtocol, // it would be missing in the document
		"-200:99999999999999999999: c: d\r\n200:Ok.\r\n": fetch.ErrProtocol,
		"-200:c: d\r\n200:Ok.\r\n":                       fetch.ErrProtocol,
		"-200:1: a: b\r\n-400:2:down\r\n200:Ok.\r\n":     fetch.ErrTransfer,
		"-200:1: a: b\r\n520:enough\r\n":                 fetch.ErrTransfer,
		"-200:1: a: b\r\n400:down\r\n":                   fetch.ErrTransfer,
		strings.Repeat("x", 1<<15):                       fetch.ErrLimit,
		strings.Repeat("-508:1: a: none\r\n", 1e5):       fetch.ErrLimit, // none of it is output
	} {
		c := fetch.New(Scheme())
		c.Dialer = schemetest.Dialer(loopback.Say(text, true))
		d, err := c.Get(t.Context(), uri.MustParse("cso://h/x"), nil)
		if err == nil {
			_, err = io.ReadAll(d.Body)
			d.Body.Close()
		}
		if fetch.KindOf(err) != want {
			t.Errorf("%.60q: got %v, want kind %q", text, err, want)
		}
		c.Close()
	}
}

func TestEntryIsBounded(t *testing.T) {
	c := fetch.New(Scheme())
	defer c.Close()
	c.Limits.Reply = 10 << 10
	c.Dialer = schemetest.Dialer(loopback.Say(strings.Repeat("-200:1: a: b\r\n", 1e4)+"200:Ok.\r\n", true))
	d, err := c.Get(t.Context(), uri.MustParse("cso://h/x"), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Body.Close()
	for _, e := range d.Entries {
		err = errors.Join(err, e)
	}
	if !errors.Is(err, fetch.ErrLimit) {
		t.Errorf("got %v, want kind %s", err, fetch.ErrLimit)
	}
}

func TestPlans(t *testing.T) {
	plan := func(command string) string { return "tcp h:105 search text/plain\n" + command + "\nquit" }
	fetchtest.Plans(t, []fetchtest.PlanCase{
		{URI: "cso://h", Want: plan("fields")},
		{URI: "cso://h:105/", Want: plan("fields")}, // from gopher menu items of type 2
		{URI: "cso://h/name=al*%20return%20all", Want: plan("query name=al* return all")},
		{URI: "cso://h/lab?alice", Options: fetch.Options{Search: []string{"return", "all"}}, Want: plan("query lab alice return all")},
		{URI: "cso://h?alice", Want: plan("query alice")},
		{URI: "cso:x", Kind: fetch.ErrRefusedURL},
		{URI: "cso://h:25/x", Kind: fetch.ErrRefusedPort},
		{URI: "cso://h/x", Options: fetch.Options{Range: fetch.Range{From: 1}}, Kind: fetch.ErrRange},
		{URI: "cso://h/x", Options: fetch.Options{Op: fetch.Send}, Kind: fetch.ErrUnsupported},
	}, Scheme())
	fetchtest.Injection(t, []string{"cso://h/a{}", "cso://h/?a{}"}, nil, Scheme())
}

func FuzzReading(f *testing.F) {
	fetchtest.Fuzz(f, []string{"cso://h/alice%20lab", "cso://h/?a+b", "cso://h", "cso:x", "cso://h/%0D"}, Scheme())
}

// FuzzAnswer checks that the body has no more lines than the response, that each error has a kind, and that no entry is empty.
func FuzzAnswer(f *testing.F) {
	f.Add("102:1\r\n-200:1: alias: x\r\n-200:1:: y\r\n-200:2: name: z\r\n200:Ok.\r\n")
	f.Add("-200:1:\r\n-200:2:alias:max 32\r\n200:")
	f.Fuzz(func(t *testing.T, answer string) {
		c := fetch.New(Scheme())
		defer c.Close()
		c.Dialer = schemetest.Dialer(loopback.Say(answer, true))
		u, lines := uri.MustParse("cso://h/x"), strings.Count(answer, "\n")
		d, err := c.Get(t.Context(), u, nil)
		if err == nil {
			b, readErr := io.ReadAll(d.Body)
			if d.Body.Close(); strings.Count(string(b), "\r\n") > 2*lines {
				t.Errorf("got %q, want at most %d lines", b, 2*lines)
			}
			err = readErr
		}
		fetchtest.CheckError(t, err)
		if d, err = c.Get(t.Context(), u, nil); err != nil {
			return
		}
		defer d.Body.Close()
		for e, err := range d.Entries {
			if lines--; err == nil && (lines < 0 || len(e.Attr) == 0) {
				t.Errorf("got %+v with %d lines left, want attributes, and no more entries than lines", e, lines)
			}
		}
	})
}

func TestPage(t *testing.T) { schemetest.Page(t, outcomes, Scheme()) }
