package schemetest

import (
	"io"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// Get dereferences a URI of the schemes by a client of its own, and reads everything.
func Get(t testing.TB, in string, o *fetch.Options, s ...fetch.Scheme) (*fetch.Document, string, error) {
	t.Helper()
	c := fetch.New(s...)
	defer c.Close()
	return GetBy(t, c, in, o)
}

// GetBy is Get by a client of the test's. A Document beside an error is closed unread.
func GetBy(t testing.TB, c *fetch.Client, in string, o *fetch.Options) (*fetch.Document, string, error) {
	t.Helper()
	u, err := uri.Parse(in)
	if err != nil {
		t.Fatalf("%s: %v", in, err)
	}
	d, err := c.Get(t.Context(), u, o)
	if d == nil {
		return nil, "", err
	}
	defer d.Body.Close()
	if err != nil {
		return d, "", err
	}
	b, err := io.ReadAll(d.Body)
	return d, string(b), err
}
