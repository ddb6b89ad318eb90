package gemini

import (
	"errors"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fetchtest"
	"example.org/deref/schemes/gemini/geminitest"
	"example.org/deref/uri"
)

func TestConformance(t *testing.T) {
	fetchtest.Test(t, Scheme(),
		fetchtest.Case{Name: "gemtext", URI: "gemini://gemini.example/owl", Body: "# The owl\r\n=> /birds More birds\r\n",
			Type: "text/gemini; lang=en", End: fetch.EndClosed, Script: `
*: [connected to 127.0.0.1:1965]
*: [TLS]
*: gemini://gemini.example/owl
C: gemini://gemini.example/owl
S: 20 text/gemini; lang=en
S: # The owl
S: => /birds More birds
*: [end]
`},
		fetchtest.Case{Name: "redirect", URI: "gemini://gemini.example/a?b", Client: func(c *fetch.Client) { c.Policy.NoFollow = true },
			Check: func(t testing.TB, d *fetch.Document, _ []byte) {
				if len(d.Referrals) != 1 || d.Referrals[0].URI.String() != "gemini://gemini.example/c" {
					t.Errorf("got %+v, want one referral to /c", d.Referrals)
				}
			}, Script: `
*: [TLS]
C: gemini://gemini.example/a?b
S: 31 c
*: [end]
`},
		fetchtest.Case{Name: "secret", URI: "gemini://gemini.example/in",
			Options: fetch.Options{Login: fetch.Login{Password: "open sesame", Set: true}},
			Body:    "in", Type: "text/plain", Secrets: []string{"open%20sesame"}, Script: `
*: [TLS]
C: gemini://gemini.example/in
S: 11 Password?
*: [end]
*: [if the server answered 11]
*2: [TLS]
C2: gemini://gemini.example/in?open%20sesame
S2: 20 text/plain
S2: in\
*2: [end]
`},
		fetchtest.Case{Name: "cut", URI: "gemini://gemini.example/owl", Err: fetch.ErrTruncated, Script: `
*: [TLS]
C: gemini://gemini.example/owl
S: 20 text/gemini
S: # The owl
*: [cut]
`},
	)
}

func TestBusy(t *testing.T) {
	for code, want := range map[int]bool{40: false, 41: true, 42: false, 43: false, 44: true, 51: false} {
		e, ok := errors.AsType[*fetch.Error](status{code: code, meta: "1"}.failure())
		if !ok || e.Busy != want {
			t.Errorf("status %d: got busy %v, want %v", code, ok && e.Busy, want)
		}
	}
}

// The charset of the status line applies to the lines of a text and to its links, and a chosen one overrides it.
func TestCharsetOfGemtext(t *testing.T) {
	t.Parallel()
	const text = "\xcd\xc9\xd2\r\n=> /\xcd\xc9\xd2 \xcd\xc9\xd2\r\n" // мир in KOI8-R
	srv, c := serve(t, &geminitest.Options{Reply: map[string]string{
		"/koi8": "20 text/gemini; charset=koi8-r\r\n" + text, "/wrong": "20 text/gemini; charset=big5\r\n" + text,
		"/utf16": "20 text/gemini; charset=utf-16\r\n=\x00>\x00 \x00a\x00\n\x00",
	}})
	for _, tt := range []struct {
		path, chosen, title, link string
	}{
		{"/koi8", "", "мир", "/%D0%BC%D0%B8%D1%80"}, {"/wrong", "koi8-r", "мир", "/%D0%BC%D0%B8%D1%80"}, {"/utf16", "", "a", "/a"},
	} {
		d, err := c.Get(t.Context(), uri.MustParse(srv.URL+tt.path), &fetch.Options{Charset: tt.chosen})
		if err != nil {
			t.Fatal(err)
		}
		var last fetch.Entry
		for e, err := range d.Entries {
			if err != nil {
				t.Fatal(err)
			}
			last = e
		}
		d.Body.Close()
		if got := string(last.URI.ASCII().Path()); last.Title != tt.title || got != tt.link {
			t.Errorf("%s: got %q, %s, want %q, %s", tt.path, last.Title, got, tt.title, tt.link)
		}
	}
}
