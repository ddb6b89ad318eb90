package warc

import (
	"testing"

	"example.org/deref/fetch/internal/cdx"
)

// Archives of other programs may have IRIs. They are found by their URIs, and have the same keys in an index.
func TestIRIsInArchives(t *testing.T) {
	for _, c := range []struct{ iri, uri, key string }{
		{"http://www.h.example/мир?ü", "http://www.h.example/%d0%bc%D0%B8%D1%80?%C3%BC", "example,h)/%d0%bc%d0%b8%d1%80?%c3%bc"},
		{"http://münchen.example/a b", "http://xn--mnchen-3ya.example/a%20b", "example,xn--mnchen-3ya)/a%20b"},
		{"http://h/\xcd", "http://h/%CD", "h)/%cd"},
		{"ftp://h/é", "ftp://h/%C3%A9", "h)/%c3%a9"},
	} {
		var a Archive
		if got, want := a.key(c.iri), a.key(c.uri); got != want {
			t.Errorf("%q: got the key %q, want that of %s, %q", c.iri, got, c.uri, want)
		}
		for _, target := range []string{c.iri, c.uri} {
			if got := cdx.Key(target); got != c.key {
				t.Errorf("%q: got the index key %q, want %q", target, got, c.key)
			}
		}
	}
}
