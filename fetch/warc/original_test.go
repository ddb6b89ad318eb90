package warc_test

import (
	"bytes"
	"path/filepath"
	"slices"
	"testing"
	"testing/fstest"

	"example.org/deref/fetch/warc"
	"example.org/deref/schemes/gopher/gophertest"
)

// With OnlyAdded, a payload is stored again until AddOriginal has a record of it.
func TestAddOriginal(t *testing.T) {
	t.Parallel()
	same := &fstest.MapFile{Data: bytes.Repeat([]byte("same "), 100)}
	s := gophertest.NewServer(fstest.MapFS{"a": same, "b": same, "c": same}, nil)
	t.Cleanup(s.Close)
	var stored []warc.StoredRecord
	o := &warc.Options{OnlyAdded: true, Stored: func(r warc.StoredRecord) { stored = append(stored, r) }}
	w, c := recorderOf(t, filepath.Join(t.TempDir(), "w.warc.gz"), o)
	defer w.Close()
	defer c.Close()
	for _, name := range []string{"a", "b", "c"} {
		if name == "c" {
			w.AddOriginal(warc.Original{ID: "<urn:uuid:1>", Digest: "md5:1"})
			w.AddOriginal(stored[0].Original)
		}
		if _, err := read(c, s.URL+"/0/"+name); err != nil {
			t.Fatal(err)
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
