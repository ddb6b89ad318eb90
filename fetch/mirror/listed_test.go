package mirror_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"example.org/deref/fetch/mirror"
	"example.org/deref/schemes/ftp/ftptest"
)

// outdated lists each file with one byte less than it has.
type outdated struct{ fstest.MapFS }

func (o outdated) ReadDir(name string) ([]fs.DirEntry, error) {
	list, err := o.MapFS.ReadDir(name)
	for i, e := range list {
		if !e.IsDir() {
			list[i] = shorter{e}
		}
	}
	return list, err
}

type shorter struct{ fs.DirEntry }

func (s shorter) Info() (fs.FileInfo, error) {
	fi, err := s.DirEntry.Info()
	return shorterInfo{fi}, err
}

type shorterInfo struct{ fs.FileInfo }

func (s shorterInfo) Size() int64 { return s.FileInfo.Size() - 1 }

// TestListedFacts counts SIZE and MDTM: what the listing states is not requested again. If it is wrong about a file, that and the following ones are
// fetched as if nothing was listed.
func TestListedFacts(t *testing.T) {
	site := fstest.MapFS{}
	for _, name := range []string{"a", "b", "c"} {
		site[name+".txt"] = &fstest.MapFile{Data: []byte("text " + name), ModTime: time.Date(1995, 1, 2, 3, 4, 5, 0, time.UTC)}
	}
	for _, tt := range []struct {
		name       string
		site       fs.FS
		o          ftptest.Options
		size, mdtm int
	}{
		{"MLSD", site, ftptest.Options{}, 0, 0},
		{"LIST", site, ftptest.Options{NoMLSD: true}, 0, 3},
		{"MLSD with wrong sizes", outdated{site}, ftptest.Options{}, 3, 3},
	} {
		s := ftptest.NewServer(tt.site, &tt.o)
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
