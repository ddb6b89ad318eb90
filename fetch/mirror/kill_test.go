package mirror_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fetchtest/loopback"
	"example.org/deref/fetch/mirror"
	"example.org/deref/testdata"
	"example.org/deref/uri"
)

// victim mirrors, and kills itself shortly after a number of URIs, which makes the moment independent of the machine's speed.
func victim(root, dir string, after int) {
	c := fetch.New(known()...)
	count := 0
	done := func(mirror.Event) {
		if count++; count == after {
			go func() {
				loopback.Pause(2 * time.Millisecond) // between two steps, or in the middle of one
				self, _ := os.FindProcess(os.Getpid())
				self.Kill()
			}()
		}
	}
	sum, err := mirror.Run(context.Background(), c, uri.MustParse(root), dir, &mirror.Options{Done: done})
	if err != nil || sum.Failed > 0 {
		fmt.Fprintln(os.Stderr, err, sum.First)
		os.Exit(1)
	}
	fmt.Println(count)
}

// enlarged is the sample site with more files, so that there is time to kill the process.
func enlarged(t *testing.T) fs.FS {
	t.Helper()
	all := fstest.MapFS{}
	err := fs.WalkDir(testdata.Site(), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := fs.ReadFile(testdata.Site(), name)
		all[name] = &fstest.MapFile{Data: b, ModTime: time.Date(1994, 12, 20, 12, 0, 0, 0, time.UTC)}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	big := strings.Repeat("0123456789abcdef\n", 20_000)
	const files = 25 // of each kind
	for i := range files {
		all[fmt.Sprintf("texts/more%d/%03d.bin", i%4, i)] = &fstest.MapFile{Data: []byte(big[:1+i*i*400]),
			ModTime: time.Date(1995, 1, 1, 0, 0, i, 0, time.UTC)}
		page := fmt.Sprintf(`<a href="%d.html">next</a> <a href="/texts/more0/000.bin">x</a> <a href="../README.txt?a=1&copy=2">y</a>`, i+1)
		all[fmt.Sprintf("history/%d.html", i)] = &fstest.MapFile{Data: []byte(page), ModTime: time.Date(1995, 1, 1, 0, 0, i, 0, time.UTC)}
		article := fmt.Sprintf("From: a@b.example\r\nSubject: %d\r\nDate: Tue, 20 Dec 1994 12:00:00 +0000\r\n"+
			"Message-ID: <more.%d@site.example>\r\nNewsgroups: lab.more\r\n\r\n%s", i, i, strings.Repeat("text\r\n", i*60))
		all[fmt.Sprintf("news/lab.more/%d", i+1)] = &fstest.MapFile{Data: []byte(article)}
	}
	all[fmt.Sprintf("history/%d.html", files)] = &fstest.MapFile{Data: []byte("the last")}
	return all
}

// checkManifest compares the manifest with the files.
func checkManifest(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	named := map[string]bool{}
	for r := range records(t, dir) {
		if r.Index {
			named[strings.TrimPrefix(r.Path+"/index.html", "/")] = true
		}
		if r.Path == "" || r.Kind == mirror.Dir {
			continue
		}
		named[r.Path] = true
		want := r.SHA256
		if r.Local != "" {
			want = r.Local
			original, err := os.ReadFile(filepath.Join(dir, ".deref", "original", r.Path))
			if err != nil || hash(string(original)) != r.SHA256 {
				t.Errorf("%s: the original: got %v, %s; want hash(string(original)) %v", r.Path, err, hash(string(original)), r.SHA256)
			}
		}
		if got := hash(files[r.Path]); got != want || r.Kind == "" {
			t.Errorf("%s: got %s, want %q %s as in the manifest", r.Path, got, r.Kind, want)
		}
	}
	for name := range files {
		if !named[name] {
			t.Errorf("%s is not in the manifest", name)
		}
	}
}

// records reads the manifest.
func records(t *testing.T, dir string) iter.Seq[mirror.Record] {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, ".deref", "manifest.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	return func(yield func(mirror.Record) bool) {
		for line := range strings.Lines(string(b)) {
			var r mirror.Record
			if err := json.Unmarshal([]byte(line), &r); err != nil {
				t.Fatalf("%q: %v", line, err)
			}
			if !yield(r) {
				return
			}
		}
	}
}

func hash(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:])
}
