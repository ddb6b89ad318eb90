package promises_test

import (
	"io"
	"strings"
	"testing"
	"testing/fstest"

	"example.org/deref/fetch"
	"example.org/deref/schemes"
	"example.org/deref/schemes/finger/fingertest"
	"example.org/deref/schemes/nex/nextest"
	"example.org/deref/schemes/spartan/spartantest"
	"example.org/deref/uri"
)

// A file name that contains a line end does not add a line to a listing.
func TestPromise3ListingsOfServers(t *testing.T) {
	files := fstest.MapFS{"a\n=> finger://evil.example/ x": {Data: []byte("x")}, "b\r\nc": {Data: []byte("y")}, "good": {Data: []byte("z")}}
	finger, nex, spartan := fingertest.NewServer(files, nil), nextest.NewServer(files, nil), spartantest.NewServer(files, nil)
	defer finger.Close()
	defer nex.Close()
	defer spartan.Close()
	c := fetch.New(schemes.All(nil)...)
	defer c.Close()
	for u, want := range map[string]int{finger.URL: 2, nex.URL: 3, spartan.URL + "/": 4} { // finger's header, spartan's title
		d, err := c.Get(t.Context(), uri.MustParse(u), nil)
		if err != nil {
			t.Errorf("%s: %v", u, err)
			continue
		}
		b, err := io.ReadAll(d.Body)
		d.Body.Close()
		if got := strings.Count(string(b), "\n"); err != nil || got != want || strings.Contains(strings.ReplaceAll(string(b), "\r\n", ""), "\r") {
			t.Errorf("%s: got %d lines, %v, want %d: %q", u, got, err, want, b)
		}
	}
}
