package file_test

import (
	"os"
	"path/filepath"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fetchtest"
	"example.org/deref/schemes/file"
	"example.org/deref/schemes/internal/schemetest"
)

func TestConformance(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a b.txt", "c"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("hello\n"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	fetchtest.Test(t, file.Scheme(),
		fetchtest.Case{URI: schemetest.FileURI(dir) + "/a%20b.txt", Name: "document", Body: "hello\n", Type: "text/plain"},
		fetchtest.Case{URI: schemetest.FileURI(dir) + "/", Name: "directory"},
		fetchtest.Case{URI: schemetest.FileURI(dir) + "/none", Name: "missing", Err: fetch.ErrNotFound},
	)
}
