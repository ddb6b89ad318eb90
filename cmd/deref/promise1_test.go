package main

import (
	"bytes"
	"errors"
	"io"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/uri"
)

// wholeOf returns the number of bytes that servers send in an undisturbed conversation.
func wholeOf(t *testing.T, newClient func() *fetch.Client, u uri.URI) int64 {
	t.Helper()
	c := newClient()
	defer c.Close()
	m := meddle(c, 1<<62, ends)
	if _, _, err := read(t.Context(), c, u, nil); err != nil {
		t.Fatal(err)
	}
	return m.seen.Load()
}

// A conversation that is cut at any point, by a normal close or a reset, gives an error or the whole document. The exception is a protocol
// without an end mark: after a normal close, the bytes received are the document, and its End is EndClosed (promise 1).
func TestPromise1CutEverySchemeAnywhere(t *testing.T) {
	t.Parallel()
	everySchemeAtOnce(t, maxAttempts, func(t *testing.T, newClient func() *fetch.Client, u uri.URI, want []byte, try func(func())) {
		total := wholeOf(t, newClient, u)
		for name, end := range map[string]func(*meddled, []byte) (int, error){"end": ends, "reset": breaks} {
			for _, at := range points(total, 40) {
				try(func() {
					c := newClient()
					defer c.Close()
					c.Timeouts = brief()
					meddle(c, at, end)
					d, err := c.Get(t.Context(), u, nil)
					if d == nil {
						if err == nil {
							t.Errorf("%s at %d: got neither a document nor an error, want one", name, at)
						}
						return
					}
					got, rerr := io.ReadAll(d.Body)
					d.Body.Close()
					switch err = errors.Join(err, rerr); {
					case err != nil || bytes.Equal(got, want):
					case name == "end" && d.End == fetch.EndClosed && bytes.HasPrefix(want, got):
					default:
						t.Errorf("%s at %d of %d: got %d of %d bytes without an error (%s), want one", name, at, total, len(got), len(want), d.End)
					}
				})
			}
		}
	})
}
