package warc_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/fstest"

	"example.org/deref/fetch/warc"
	"example.org/deref/schemes/gopher/gophertest"
)

// With OnlyAdded, a payload is stored again until AddOriginal has a record of it, the last of which counts. A Recorder of whole payloads stores it again.
func TestAddOriginal(t *testing.T) {
	t.Parallel()
	same := &fstest.MapFile{Data: bytes.Repeat([]byte("same "), 100)}
	s := gophertest.NewServer(fstest.MapFS{"a": same, "b": same, "c": same, "d": same}, nil)
	t.Cleanup(s.Close)
	var stored []warc.StoredRecord
	o := &warc.Options{OnlyAdded: true, Stored: func(r warc.StoredRecord) { stored = append(stored, r) }}
	file := filepath.Join(t.TempDir(), "w.warc.gz")
	w, c := recorderOf(t, file, o)
	defer w.Close()
	defer c.Close()
	for _, name := range []string{"a", "b", "c", "d"} {
		switch name {
		case "c":
			w.AddOriginal(warc.Original{ID: "<urn:uuid:1>", Digest: "md5:1"})
			w.AddOriginal(stored[0].Original)
			w.AddOriginal(stored[1].Original)
		case "d":
			whole := warc.NewRecorder(w)
			whole.Whole = true
			c.Recorder = whole
		}
		if _, err := read(c, s.URL+"/0/"+name); err != nil {
			t.Fatal(err)
		}
	}
	var has []bool
	for _, r := range stored {
		has = append(has, r.Original.Digest != "")
	}
	if want := []bool{true, true, false, true}; !slices.Equal(has, want) || stored[0].Original.Target != stored[0].Target {
		t.Errorf("got %+v, want a payload in each record but the third", stored)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	in, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	r := warc.NewReader(in)
	defer r.Close()
	for {
		rec, err := r.Next()
		if err != nil {
			t.Fatalf("got %v, want a revisit record", err)
		}
		if rec.Type() == warc.Revisit {
			if got := rec.Fields.Get("WARC-Refers-To"); got != stored[1].Original.ID {
				t.Errorf("got a reference to %s, want that to the last original, %s", got, stored[1].Original.ID)
			}
			return
		}
	}
}
