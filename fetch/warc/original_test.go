package warc_test

import (
	"bytes"
	"io"
	"path/filepath"
	"slices"
	"testing"
	"testing/fstest"

	"example.org/deref/fetch"
	"example.org/deref/fetch/warc"
	"example.org/deref/schemes/gopher"
	"example.org/deref/schemes/gopher/gophertest"
	"example.org/deref/uri"
)

// With OnlyAdded, a payload is stored again until AddOriginal has a record of it.
func TestAddOriginal(t *testing.T) {
	t.Parallel()
	same := &fstest.MapFile{Data: bytes.Repeat([]byte("same "), 100)}
	s, err := gophertest.Listen(fstest.MapFS{"a": same, "b": same, "c": same}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	var stored []warc.StoredRecord
	w, err := warc.Create(filepath.Join(t.TempDir(), "w.warc.gz"), &warc.Options{OnlyAdded: true, Stored: func(r warc.StoredRecord) { stored = append(stored, r) }})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	c := fetch.New(gopher.Schemes()...)
	c.Recorder = warc.NewRecorder(w)
	defer c.Close()
	for _, name := range []string{"a", "b", "c"} {
		if name == "c" {
			w.AddOriginal(warc.Original{ID: "<urn:uuid:1>", Digest: "md5:1"})
			w.AddOriginal(stored[0].Original)
		}
		d, err := c.Get(t.Context(), uri.MustParse(s.URL+"/0/"+name), nil)
		if err != nil {
			t.Fatal(err)
		}
		_, err = io.Copy(io.Discard, d.Body)
		if cerr := d.Body.Close(); err != nil || cerr != nil {
			t.Fatal(err, cerr)
		}
	}
	var has []bool
	for _, r := range stored {
		has = append(has, r.Original.Digest != "")
	}
	if want := []bool{true, true, false}; !slices.Equal(has, want) || stored[0].Original.Target != stored[0].Target {
		t.Errorf("got the records %+v, want payloads in the first two", stored)
	}
}
