package spartan

import (
	"testing"
	"testing/fstest"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fetchtest"
	"example.org/deref/schemes/internal/schemetest"
	"example.org/deref/schemes/spartan/spartantest"
	"example.org/deref/uri"
)

func get(t testing.TB, s string, o *fetch.Options) (*fetch.Document, string, error) {
	t.Helper()
	return fetchtest.Get(t, s, o, Scheme())
}

func TestServer(t *testing.T) {
	site := fstest.MapFS{"owl.gmi": {Data: []byte("# Owl\n=: /echo Which?\n")}, "log/1 a.bin": {Data: []byte("\xff\r\n")}}
	srv := spartantest.NewServer(site, nil)
	defer srv.Close()
	for _, tt := range []struct {
		path, said, body, typ string
		words                 []string
	}{
		{"/owl.gmi#x", "127.0.0.1 /owl.gmi 0", "# Owl\n=: /echo Which?\n", "text/gemini", nil},
		{"/log/1%20a.bin", "127.0.0.1 /log/1%20a.bin 0", "\xff\r\n", "application/octet-stream", nil},
		{"", "127.0.0.1 / 0", "# /\n=> ./log/ log/\n=> ./owl.gmi owl.gmi\n", "text/gemini", nil},
		{"/log", "127.0.0.1 /log/ 0", "# /log\n=> ./1%20a.bin 1 a.bin\n", "text/gemini", nil}, // after a redirect
		{"/echo?a%20b", "127.0.0.1 /echo 3", "a b", "text/plain", nil},
		{"/echo?old", "127.0.0.1 /echo 5", "a\tb c", "text/plain", []string{"a\tb", "c"}},
	} {
		d, body, err := get(t, srv.URL+tt.path, &fetch.Options{Search: tt.words})
		if err != nil || body != tt.body || d.Type != tt.typ {
			t.Errorf("%s: got %q, %v, %+v, want %q, type %s", tt.path, body, err, d, tt.body, tt.typ)
		}
		if said := srv.Transcript(); said[len(said)-1] != tt.said {
			t.Errorf("%s: got the request %q, want %q", tt.path, said[len(said)-1], tt.said)
		}
	}
}

func TestEntries(t *testing.T) {
	srv := spartantest.NewServer(fstest.MapFS{"owl.gmi": {Data: []byte("=: /echo Which?\n")}}, nil)
	defer srv.Close()
	c := fetch.New(Scheme())
	defer c.Close()
	d, err := c.Get(t.Context(), uri.MustParse(srv.URL+"/owl.gmi"), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Body.Close()
	n := 0
	for e, err := range d.Entries {
		if n++; err != nil || e.Kind != fetch.KindSearch || e.Title != "Which?" || e.URI.String() != srv.URL+"/echo" {
			t.Errorf("got %+v, %v, want the search \"Which?\" at %s/echo", e, err, srv.URL)
		}
	}
	if n != 1 {
		t.Errorf("got %d entries, want 1", n)
	}
}

func TestStatuses(t *testing.T) {
	for reply, want := range map[string]fetch.Kind{
		"2 text/plain\r\nx": "", "2 nothing\r\n": fetch.ErrProtocol, "2\r\n": fetch.ErrProtocol,
		"3 /x\r\n": fetch.ErrRedirect, "3 //other/x\r\n": fetch.ErrProtocol,
		"3 spartan://other/\r\n": fetch.ErrProtocol, "3 /%zz\r\n": fetch.ErrProtocol,
		"4 none\r\n": fetch.ErrNotFound, "5 later\r\n": fetch.ErrUnavailable,
		"20 text/gemini\r\n": fetch.ErrProtocol, "2 text/plain": fetch.ErrTruncated,
	} {
		srv := spartantest.NewServer(fstest.MapFS{}, &spartantest.Options{Reply: map[string]string{"/x": reply}})
		if _, body, err := get(t, srv.URL+"/x", nil); fetch.KindOf(err) != want || want == "" && body != "x" {
			t.Errorf("%q: got %q, %v, kind %q, want kind %q", reply, body, err, fetch.KindOf(err), want)
		}
		srv.Close()
	}
}

func TestPlans(t *testing.T) {
	fetchtest.Plans(t, []fetchtest.PlanCase{
		{URI: "spartan://H", Want: "tcp H:300 document\nH / 0"},
		{URI: "spartan://h:3000/a%20b?c%20d", Want: "tcp h:3000 document\nh /a%20b 3 \"c d\""},
		{URI: "spartan://h/a?c%0D%0Ad", Kind: fetch.ErrRefusedURL}, // on port 2525 it would be a line of SMTP
		{URI: "spartan:a", Kind: fetch.ErrRefusedURL},
		{URI: "spartan://h:25/a", Kind: fetch.ErrRefusedPort},
		{URI: "spartan://h/a", Options: fetch.Options{Range: fetch.Range{From: 1}}, Kind: fetch.ErrRange},
		{URI: "spartan://h/a", Options: fetch.Options{Op: fetch.Metadata}, Kind: fetch.ErrUnsupported},
	}, Scheme())
}

func TestConformance(t *testing.T) {
	fetchtest.Test(t, Scheme(),
		fetchtest.Case{Name: "gemtext", URI: "spartan://spartan.example/owl", Body: "# Owl\r\n=: /find Which?\r\n", Type: "text/gemini",
			End: fetch.EndClosed, Script: `
*: [connected to 127.0.0.1:300]
*: spartan.example /owl 0
C: spartan.example /owl 0
S: 2 text/gemini
S: # Owl
S: =: /find Which?
*: [end]
`},
		fetchtest.Case{Name: "input", URI: "spartan://spartan.example/find?a%20b", Body: "\xff", Type: "image/gif", Script: `
C: spartan.example /find 3
C: a b\
S: 2 image/gif
S= /w==
*: [end]
`},
		fetchtest.Case{Name: "missing", URI: "spartan://spartan.example/none", Err: fetch.ErrNotFound, Script: `
C: spartan.example /none 0
S: 4 there is none
*: [end]
`},
		fetchtest.Case{Name: "redirect", URI: "spartan://spartan.example/a", Client: func(c *fetch.Client) { c.Policy.NoFollow = true },
			Check: func(t testing.TB, d *fetch.Document, _ []byte) {
				if len(d.Referrals) != 1 || d.Referrals[0].URI.String() != "spartan://spartan.example/b" {
					t.Errorf("got %+v, want one referral to /b", d.Referrals)
				}
			}, Script: `
C: spartan.example /a 0
S: 3 /b
*: [end]
`},
	)
}

// TestPage checks that the table of replies is documented.
func TestPage(t *testing.T) { schemetest.Page(t, statuses, Scheme()) }

func FuzzReading(f *testing.F) {
	fetchtest.Fuzz(f, []string{"spartan://h/a?b%0D", "spartan://h", "spartan://h/%0A\xff", "spartan:x"}, Scheme())
}
