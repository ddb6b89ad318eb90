package save_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"example.org/deref/fetch/save"
)

// TestEqualFileIsNoFailure: Options.Equal accepts a taken name if the contents are the same, and only then; nothing else is left in the
// directory, not even the part of an earlier run.
func TestEqualFileIsNoFailure(t *testing.T) {
	long := bytes.Repeat([]byte("0123456789abcdef"), 10_000)
	for _, test := range []struct {
		name        string
		there, data []byte
		same        bool
	}{
		{"the same", []byte("hello"), []byte("hello"), true},
		{"empty", nil, nil, true},
		{"long", long, long, true},
		{"differs", []byte("hullo"), []byte("hello"), false},
		{"shorter", []byte("hell"), []byte("hello"), false},
		{"longer", []byte("hello!"), []byte("hello"), false},
		{"long, differs at the end", append(bytes.Clone(long[1:]), '!'), long, false},
		{"long, cut at a buffer", long[:128<<10], long, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			f, dir := tempDir(t)
			path := filepath.Join(dir, "guide.txt")
			if err := os.WriteFile(path, test.there, 0o600); err != nil {
				t.Fatal(err)
			}
			if test.same { // a run that was killed after the rename has left its part
				os.WriteFile(path+".part", test.data[:len(test.data)/2], 0o600)
				os.WriteFile(path+".part.json", []byte(`{"uri":"test://h/other.txt"}`), 0o600)
			}
			s := newSite(map[string]*object{"/other.txt": {data: test.data}})
			r, err := get(t, s, "/other.txt", nil, &save.Options{Dir: f, Name: "x/guide.txt", Equal: true})
			switch {
			case test.same && (err != nil || !r.Unchanged || r.Path != path || r.Size != int64(len(test.data))):
				t.Errorf("got %+v, %v; want Unchanged", r, err)
			case !test.same && !errors.Is(err, fs.ErrExist):
				t.Errorf("%+v, %v; want fs.ErrExist", r, err)
			}
			holds(t, dir, map[string][]byte{"guide.txt": append([]byte{}, test.there...)})
		})
	}
}
