package memo_test

import (
	"testing"
	"testing/fstest"

	"example.com/memo"
	"example.com/memo/memotest"
	"example.org/deref/fetch"
	"example.org/deref/fetch/fetchtest"
)

// TestConformance runs every rule of fetchtest for each dialogue. `deref --record FILE` writes dialogues.
func TestConformance(t *testing.T) {
	fetchtest.Test(t, memo.Scheme(),
		fetchtest.Case{Name: "document", URI: "memo://h/notes/to%20day", Body: "Water the plants.\r\n", Type: "text/plain", End: fetch.EndClosed, Script: `
			*: [connected to 127.0.0.1:7890]
			*: GET /notes/to day
			C: GET /notes/to day
			S: 20 text/plain
			S: Water the plants.
			*: [end]`},
		fetchtest.Case{Name: "root", URI: "memo://h", Script: `
			C: GET /
			S: 20 text/plain
			S: All memos.
			*: [end]`},
		fetchtest.Case{Name: "redirect", URI: "memo://h/notes/old", Client: func(c *fetch.Client) { c.Policy.NoFollow = true },
			Check: func(t testing.TB, d *fetch.Document, _ []byte) {
				if len(d.Referrals) != 1 || d.Referrals[0].URI.String() != "memo://h/notes/new" {
					t.Errorf("got the referrals %v, want memo://h/notes/new", d.Referrals)
				}
			}, Script: `
			C: GET /notes/old
			S: 30 new`},
		fetchtest.Case{Name: "missing", URI: "memo://h/none", Err: fetch.ErrNotFound, Script: `
			C: GET /none
			S: 40 no such memo`},
		fetchtest.Case{Name: "busy", URI: "memo://h/a", Err: fetch.ErrUnavailable, Script: `
			C: GET /a
			S: 50 come back later`},
		fetchtest.Case{Name: "another protocol", URI: "memo://h/a", Err: fetch.ErrProtocol, Script: `
			C: GET /a
			S: HTTP/1.0 400 Bad Request`},
		fetchtest.Case{Name: "closed", URI: "memo://h/a", Err: fetch.ErrConnection, Script: `
			C: GET /a
			*: [end]`},
		fetchtest.Case{Name: "two lines", URI: "memo://h/a%0D%0AGET%20/b", Err: fetch.ErrRefusedURL},
	)
}

func TestPlans(t *testing.T) {
	fetchtest.Plans(t, []fetchtest.PlanCase{
		{URI: "memo://h/a%20b", Want: "tcp h:7890 document\nGET /a b"},
		{URI: "memo://h:8000", Want: "tcp h:8000 document\nGET /"},
		{URI: "memo://h/a?b", Kind: fetch.ErrRefusedURL},
		{URI: "memo:a", Kind: fetch.ErrRefusedURL},
		{URI: "memo://h/a", Options: fetch.Options{Range: fetch.Range{From: 1}}, Kind: fetch.ErrRange},
		{URI: "memo://h/a", Options: fetch.Options{Op: fetch.Metadata}, Kind: fetch.ErrUnsupported},
	}, memo.Scheme())
}

func TestServer(t *testing.T) {
	srv := memotest.NewServer(fstest.MapFS{"a/new": {Data: []byte("hello\n")}, "a/old": {Data: []byte("-> new")}})
	defer srv.Close()
	for _, x := range []struct {
		path, body string
		kind       fetch.Kind
	}{{"/a/new", "hello\n", ""}, {"/a/old", "hello\n", ""}, {"/none", "", fetch.ErrNotFound}} {
		_, body, err := fetchtest.Get(t, srv.URL+x.path, nil, memo.Scheme())
		if body != x.body || fetch.KindOf(err) != x.kind {
			t.Errorf("%s: got %q and %v, want %q and the kind %q", x.path, body, err, x.body, x.kind)
		}
	}
}

func FuzzMemo(f *testing.F) {
	fetchtest.Fuzz(f, []string{"memo://h/a%20b", "memo://h", "memo://h/%0A", "memo:x"}, memo.Scheme())
}
