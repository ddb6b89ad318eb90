package save

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"example.org/deref/fetch"
)

// TestLacks: what a folder held when it was first asked is remembered, as long as that is little.
func TestLacks(t *testing.T) {
	for _, test := range []struct {
		holds int
		lacks bool // "new" is known not to be there
	}{
		{0, true},
		{1, true},
		{fewNames, true},
		{fewNames + 1, false},
	} {
		f := folderOf(t, test.holds)
		if got := f.lacks("new"); got != test.lacks {
			t.Errorf("a folder of %d files: %v, not %v", test.holds, got, test.lacks)
		}
	}
	f := folderOf(t, 2)
	for _, name := range []string{"Other-0", "other-1", "OTHER-0"} {
		if f.lacks(name) {
			t.Errorf("%s, or a name that some file systems take for it, was there", name)
		}
	}
	j := &job{target: target{folder: f, name: "part"}, options: &Options{}}
	s, err := j.newPart(fetch.NewDocument(nil))
	if s == nil || err != nil {
		t.Fatal(s, err)
	}
	defer s.file.Close()
	if f.lacks("new") || f.lacks("part"+stateSuffix) {
		t.Error("a part has been made since")
	}
}

func folderOf(t *testing.T, files int) *Folder {
	dir := t.TempDir()
	for i := range files {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("Other-%d", i)), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	f, err := OpenFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}
