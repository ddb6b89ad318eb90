package warc_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"example.org/deref/fetch/warc"
	"example.org/deref/schemes/gopher/gophertest"
)

// MergeIndexes has the places that Stored reports, from indexes and from an unfinished archive without one, and only those that are kept.
func TestMergeIndexes(t *testing.T) {
	t.Parallel()
	s := gophertest.NewServer(fstest.MapFS{"a": {Data: []byte("a")}, "b": {Data: []byte("bb")}}, nil)
	t.Cleanup(s.Close)
	dir, stored := t.TempDir(), map[string]bool{}
	for i := range 2 {
		o := &warc.Options{Index: true, Size: 1, Stored: func(r warc.StoredRecord) { stored[fmt.Sprint(r.Target, " ", r.File, " ", r.Offset)] = true }}
		capture(t, filepath.Join(dir, fmt.Sprintf("w%d.warc.gz", i)), o, nil, s.URL+"/0/a", s.URL+"/0/missing", s.URL+"/0/b")
	}
	names, err := filepath.Glob(filepath.Join(dir, "*.warc.gz"))
	if err != nil || len(names) != 6 || len(stored) != 6 {
		t.Fatalf("got the archives %v, %v with the records %v, want six", names, err, stored)
	}
	left := names[0] + warc.Unfinished
	if err := os.Rename(names[0], left); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(strings.Replace(names[0], ".warc.gz", ".cdxj", 1)); err != nil {
		t.Fatal(err)
	}
	files, err := warc.Files(names[1:]...)
	if err != nil {
		t.Fatal(err)
	}
	files = append(files, warc.File{Path: left, Base: filepath.Base(names[0])})
	for _, keep := range []string{"/", "/0/a"} {
		var out bytes.Buffer
		lines, err := warc.MergeIndexes(&out, dir, files, func(target, _ string, _ int64) bool { return strings.Contains(target, keep) },
			func(f warc.Fault) { t.Error(f) })
		got, want := map[string]bool{}, map[string]bool{}
		for line := range strings.Lines(out.String()) {
			var j struct {
				URL, Filename string
				Offset        int64 `json:",string"`
			}
			if err := json.Unmarshal([]byte(line[strings.IndexByte(line, '{'):]), &j); err != nil {
				t.Fatal(err)
			}
			got[fmt.Sprint(strings.TrimPrefix(j.URL, "urn:dialogue:"), " ", j.Filename, " ", j.Offset)] = true
		}
		for place := range stored {
			if strings.Contains(place, keep) {
				want[place] = true
			}
		}
		if err != nil || !maps.Equal(got, want) || lines != int64(len(want)) {
			t.Errorf("got %d lines, %v, %v, want %v", lines, err, got, want)
		}
	}
}
