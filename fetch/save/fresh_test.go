package save

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"example.org/deref/fetch"
)

// TestKnownFree: the names in a directory are remembered when it is first read, if they are few.
func TestKnownFree(t *testing.T) {
	dir := t.TempDir()
	for _, test := range []struct {
		holds     int
		knownFree bool // "new" is known not to be there
	}{
		{0, true},
		{1, true},
		{fewNames, true},
		{fewNames + 1, false},
	} {
		f := dirOf(t, dir, test.holds)
		if f.knownFree("new") {
			t.Errorf("a directory of %d files was read for one document", test.holds)
		}
		if got := f.knownFree("new"); got != test.knownFree {
			t.Errorf("a directory of %d files: got %v, want %v", test.holds, got, test.knownFree)
		}
	}
	f := dirOf(t, t.TempDir(), 2)
	f.knownFree("first")
	for _, name := range []string{"Other-0", "other-1", "OTHER-0"} {
		if f.knownFree(name) {
			t.Errorf("%s, or a name equal to it on some file systems, existed before", name)
		}
	}
	j := &job{target: target{dir: f, name: "part"}, options: &Options{}}
	s, err := j.newPart(fetch.NewDocument(nil))
	if s == nil || err != nil {
		t.Fatalf("got %v, %v; want non-nil s", s, err)
	}
	defer s.file.Close()
	if f.knownFree("new") || f.knownFree("part"+stateSuffix) {
		t.Error("a name is reported free although a part was created since")
	}
}

// dirOf opens dir, to which it adds files until there are so many.
func dirOf(t *testing.T, dir string, files int) *Dir {
	t.Helper()
	there, err := os.ReadDir(dir)
	first := filepath.Join(dir, "Other-0")
	if len(there) == 0 && files > 0 {
		err = os.WriteFile(first, nil, 0o600)
	}
	for i := max(1, len(there)); i < files && err == nil; i++ {
		err = os.Link(first, filepath.Join(dir, fmt.Sprintf("Other-%d", i))) // takes less time than a file
	}
	if err != nil {
		t.Fatal(err)
	}
	f, err := OpenDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}
