package gemini

import (
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/schemes/gemini/geminitest"
	"example.org/deref/uri"
)

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
