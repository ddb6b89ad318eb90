package local

import (
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/schemes"
	"example.org/deref/testdata"
	"example.org/deref/uri"
)

// New users first try the table of `deref serve`: each row names a document or a session.
func TestSamplesExist(t *testing.T) {
	t.Parallel()
	servers, err := Start(testdata.Site(), 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer Stop(servers)
	c := fetch.New(schemes.All(nil)...)
	defer c.Close()
	for _, s := range servers {
		seen := map[string]bool{}
		for _, path := range s.Samples() {
			if seen[path] {
				t.Errorf("got %s%s twice, want it once", s.URL, path)
			}
			seen[path] = true
			u, err := uri.Parse(s.URL + path)
			if err != nil {
				t.Fatal(err)
			}
			if s.Scheme == "gemini" {
				continue // the certificate is the server's own
			}
			d, err := c.Get(t.Context(), u, nil)
			if err != nil {
				t.Errorf("%s: got %v, want a document", u, err)
				continue
			}
			d.Body.Close()
		}
	}
}
