package mirror_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"example.org/deref/fetch/mirror"
	"example.org/deref/schemes/ftp/ftptest"
)

// TestListedFacts counts SIZE and MDTM: what the listing states is not requested again. If it is wrong about a file, that and the following ones are
// fetched as if nothing was listed.
func TestListedFacts(t *testing.T) {
	site := fstest.MapFS{}
	for _, name := range []string{"a", "b", "c"} {
		site[name+".txt"] = &fstest.MapFile{Data: []byte("text " + name), ModTime: time.Date(1995, 1, 2, 3, 4, 5, 0, time.UTC)}
	}
	outdated := func(l ftptest.Listing) (lines []string) { // each file with one byte less than it has
		for _, fi := range l.Entries {
			lines = append(lines, fmt.Sprintf("-rw-r--r-- 1 ftp ftp %d Jan  2  1995 %s", fi.Size()-1, fi.Name()))
		}
		return lines
	}
	for _, tt := range []struct {
		name       string
		o          ftptest.Options
		size, mdtm int
	}{
		{"MLSD", ftptest.Options{}, 0, 0},
		{"LIST", ftptest.Options{NoMLSD: true}, 0, 3},
		{"LIST with wrong sizes", ftptest.Options{NoMLSD: true, List: outdated}, 3, 4}, // MDTM also before the first one is seen to be wrong
	} {
		s := ftptest.NewServer(site, &tt.o)
		dir := t.TempDir()
		o := &mirror.Options{}
		o.Batch.PerHost = 1
		sum := run(t, s.URL+"/", dir, o)
		s.Close()
		sent := map[string]int{}
		for _, line := range s.Transcript() {
			verb, _, _ := strings.Cut(line, " ")
			sent[verb]++
		}
		if sum.Saved != 3 || sent["SIZE"] != tt.size || sent["MDTM"] != tt.mdtm {
			t.Errorf("%s: got %d saved, %d SIZE and %d MDTM, want 3, %d and %d", tt.name, sum.Saved, sent["SIZE"], sent["MDTM"], tt.size, tt.mdtm)
		}
		for name, file := range site {
			at := filepath.Join(dir, name)
			text, err := os.ReadFile(at)
			fi, _ := os.Stat(at)
			if err != nil || string(text) != string(file.Data) || !fi.ModTime().Equal(file.ModTime) {
				t.Errorf("%s: %s: got %q, %v, want %q of %v", tt.name, name, text, err, file.Data, file.ModTime)
			}
		}
	}
}
