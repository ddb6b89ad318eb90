package save_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/fetch/save"
	"example.org/deref/uri"
)

// TestEqualFileIsNoFailure: Options.Equal accepts a taken name if the contents are the same, and only then; nothing else is left in the
// directory.
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
			dir := t.TempDir()
			path := filepath.Join(dir, "guide.txt")
			if err := os.WriteFile(path, test.there, 0o600); err != nil {
				t.Fatal(err)
			}
			to, err := save.OpenDir(dir)
			if err != nil {
				t.Fatal(err)
			}
			defer to.Close()
			c := fetch.New(fetch.Scheme{Names: []string{"test"}, Rules: uri.Rules{Hierarchical: true}, Does: fetch.Does{Retrieves: true},
				Plan: newSite(map[string]*object{"/other.txt": {data: test.data}}).Plan})
			defer c.Close()
			u := uri.MustParse("test://h/other.txt")
			r, err := save.File(t.Context(), c, u, nil, &save.Options{Dir: to, Name: "x/guide.txt", Equal: true})
			switch {
			case test.same && (err != nil || !r.Unchanged || r.Path != path || r.Size != int64(len(test.data))):
				t.Errorf("got %+v, %v; want Unchanged", r, err)
			case !test.same && !errors.Is(err, fs.ErrExist):
				t.Errorf("%+v, %v; want fs.ErrExist", r, err)
			}
			if got, _ := os.ReadFile(path); !bytes.Equal(got, test.there) {
				t.Errorf("the file has changed")
			}
			if names, _ := os.ReadDir(dir); len(names) != 1 {
				t.Errorf("left over: got %v, want len(names) 1", names)
			}
		})
	}
}
