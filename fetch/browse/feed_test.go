package browse

import (
	"strings"
	"testing"

	"example.org/deref/uri"
)

// FuzzFeed checks that items have addresses, that texts are lines, and that other documents have no items.
func FuzzFeed(f *testing.F) {
	f.Add("<rss><channel><title>a</title><item><title>b</title><guid>http://h/</guid><pubDate>x</pubDate></item>")
	f.Add("<feed><entry><link href='a'/><updated>2026-11-19T10:00:00Z</updated></entry></feed>")
	f.Fuzz(func(t *testing.T, in string) {
		list := readFeed(strings.NewReader(in), uri.MustParse("http://h/"))
		if len(list) > 0 && !strings.Contains(in, "rss") && !strings.Contains(in, "feed") && !strings.Contains(in, "RDF") {
			t.Errorf("%q: got %d items, want none", in, len(list))
		}
		for _, e := range list {
			if !e.URI.IsZero() && !e.URI.IsAbs() || strings.ContainsAny(e.Title, "\n\r\t") {
				t.Errorf("%q: got %+v, want a line of text with an absolute address or none", in, e)
			}
		}
	})
}
