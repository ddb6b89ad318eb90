package fetchtest

import (
	"errors"
	"io"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// Get dereferences a URI with a new Client for schemes and reads the whole document.
func Get(t testing.TB, in string, o *fetch.Options, schemes ...fetch.Scheme) (*fetch.Document, string, error) {
	t.Helper()
	c := fetch.New(schemes...)
	defer c.Close()
	return GetWith(t, c, in, o)
}

// GetWith dereferences a URI with c and reads the whole document. If Get returns both a Document and an error, the Body is not read.
func GetWith(t testing.TB, c *fetch.Client, in string, o *fetch.Options) (*fetch.Document, string, error) {
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

// CheckError fails the test if err is not nil and has no Kind, or if it is a panic of the handler. It is for fuzz tests.
func CheckError(t testing.TB, err error) {
	t.Helper()
	if err != nil && (fetch.KindOf(err) == "" || isPanic(err)) {
		t.Errorf("got %v, want no error, or one that has a Kind and is not a panic", err)
	}
}

func isPanic(err error) bool {
	_, ok := errors.AsType[*fetch.Panic](err)
	return ok
}
