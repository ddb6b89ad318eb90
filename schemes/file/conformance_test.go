package file_test

import (
	"os"
	"path/filepath"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fetchtest"
	"example.org/deref/schemes/file"
)

func TestConformance(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a b.txt", "c"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("hello\n"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	fetchtest.Test(t, file.Scheme(),
		fetchtest.Case{URI: "file://" + dir + "/a%20b.txt", Name: "document", Body: "hello\n", Type: "text/plain"},
		fetchtest.Case{URI: "file://" + dir + "/", Name: "folder"},
		fetchtest.Case{URI: "file://" + dir + "/none", Name: "missing", Err: fetch.ErrNotFound},
	)
}
