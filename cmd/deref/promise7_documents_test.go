package main

import (
	"bytes"
	"errors"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/fetch/dialogue"
	"example.org/deref/fetch/warc"
	"example.org/deref/uri"
)

// A document in which the password is a word comes out of every scheme as it is, out of its archive likewise, and out of its record where that can
// be played; the Client is told that it repeats the password (promise 7).
func TestPromise7EverySchemeKeepsDocuments(t *testing.T) {
	everyScheme(t, func(t *testing.T, newClient func() *fetch.Client, u uri.URI, want []byte) {
		if u.Scheme() == "data" || u.Scheme() == "file" {
			t.Skip("nobody is told anything")
		}
		if info, ok := u.Userinfo(); ok && strings.Contains(string(info), ":") {
			t.Skip("the server knows one password only")
		}
		word := string(regexp.MustCompile(`[A-Za-z]{3,}`).Find(want))
		if word == "" {
			t.Skip("the document has no word")
		}
		archive := filepath.Join(t.TempDir(), "a.warc")
		w, err := warc.Create(archive, nil)
		if err != nil {
			t.Fatal(err)
		}
		c := newClient()
		defer c.Close()
		c.Witness = warc.NewRecorder(w)
		var mu sync.Mutex
		repeated := 0
		c.Repeated = func(uri.URI) { mu.Lock(); repeated++; mu.Unlock() }
		var script bytes.Buffer
		rec := dialogue.NewRecorder(&script)
		login := fetch.Login{User: "ann", Password: word, Set: true}
		got, _, err := read(t.Context(), c, u, &fetch.Options{Login: login, Trace: rec.Trace})
		if err = errors.Join(err, w.Close(), rec.Flush()); fetch.KindOf(err) == fetch.ErrAuth || fetch.KindOf(err) == fetch.ErrUnsupported || fetch.KindOf(err) == fetch.ErrRefusedURL {
			t.Skipf("%s has no such login: %v", u, err)
		}
		if err != nil || !bytes.Equal(got, want) {
			t.Fatalf("%s with the password %q: %.200q, %v", u, word, got, err)
		}
		from, err := warc.OpenArchive(c.Schemes, archive)
		if err != nil {
			t.Fatal(err)
		}
		again := fetch.New(from.Schemes()...)
		defer again.Close()
		if got, _, err = read(t.Context(), again, u, nil); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s from the archive with the password %q: %.200q, %v; want %.200q", u, word, got, err, want)
		}
		if repeated != 1 && strings.Contains(script.String(), word) { // else it came in a coding
			t.Errorf("%s: the Client is told %d times that the document repeats %q, want 1", u, repeated, word)
		}
	})
}
