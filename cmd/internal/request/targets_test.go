package request

import (
	"testing"

	"example.org/deref/uri"
)

func TestFolderURI(t *testing.T) {
	for path, want := range map[string]string{
		"/":         "file:///", // not file:////, whose first segment is empty
		"/a":        "file:///a/",
		"/a b/c%41": "file:///a%20b/c%2541/",
	} {
		if got := DirectoryURI(uri.RFC3986, path); got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
}
