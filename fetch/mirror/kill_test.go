package mirror_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"iter"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/mirror"
	"example.org/deref/schemes"
	"example.org/deref/testdata"
	"example.org/deref/uri"
)

// victim mirrors, and kills itself a moment after so many URIs, if told to: at moments that are the same on a slow machine.
func victim(root, dir string, after int) {
	c := fetch.New(schemes.All(nil)...)
	count := 0
	done := func(mirror.Event) {
		if count++; count == after {
			go func() {
				time.Sleep(rand.N(2 * time.Millisecond)) // between two steps, or in the middle of one
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

// TestPromise2Killed: a mirror that is killed at ten moments and taken up again is the same, file by file, as one that nobody has disturbed, and its
// manifest is true.
func TestPromise2Killed(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no signals")
	}
	most := 10
	if testing.Short() {
		most = 2
	}
	for name, root := range servers(t, enlarged(t)) {
		if testing.Short() && name != "http" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			whole, dir := t.TempDir(), t.TempDir()
			all, _ := mirrorApart(t, root, whole, 0)
			if all == 0 {
				t.Fatal("nothing is taken up")
			}
			kills := 0
			for tries := 0; kills < most && tries < 3*most; tries++ {
				if _, killed := mirrorApart(t, root, dir, 1+rand.N(2*all/most)); !killed {
					os.RemoveAll(dir) // it came to its end: from the beginning
					continue
				}
				kills++
				if _, err := os.Stat(filepath.Join(dir, ".deref", "pass", "wanted.json")); err != nil {
					t.Errorf("kill %d left nothing to go on with: %v", kills, err)
				}
			}
			mirrorApart(t, root, dir, 0)
			want, got := tree(t, whole), tree(t, dir)
			for name, octets := range want {
				if have, ok := got[name]; !ok || have != octets {
					t.Errorf("%s: %v, %d octets of %d", name, ok, len(have), len(octets))
				}
			}
			for name := range got {
				if _, ok := want[name]; !ok {
					t.Errorf("%s is left over", name)
				}
			}
			if kills < most {
				t.Errorf("%d kills of %d", kills, most)
			}
			checkManifest(t, dir, got)
		})
	}
}

// mirrorApart mirrors in a process of its own, and returns how many URIs it took up, none if it was killed. One that goes on
// behind the last of them takes up none either.
func mirrorApart(t *testing.T, root, dir string, after int) (count int, killed bool) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "MIRROR_TEST_ROOT="+root, "MIRROR_TEST_DIR="+dir, "MIRROR_TEST_KILL="+strconv.Itoa(after), "GORACE=atexit_sleep_ms=20")
	var said strings.Builder
	cmd.Stderr = &said
	out, err := cmd.Output()
	switch {
	case err != nil && cmd.ProcessState.ExitCode() == -1:
		return 0, true
	case err != nil:
		t.Fatalf("%v: %s", err, said.String())
	}
	count, err = strconv.Atoi(strings.TrimSpace(string(out)))
	if err != nil {
		t.Fatalf("%q: %v", out, err)
	}
	return count, false
}

// enlarged is the sample site with more in it, so that there is time to be killed.
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
	for i := range 120 {
		all[fmt.Sprintf("texts/more%d/%03d.bin", i%4, i)] = &fstest.MapFile{Data: []byte(big[:1+i*i*20]), ModTime: time.Date(1995, 1, 1, 0, 0, i, 0, time.UTC)}
		page := fmt.Sprintf(`<a href="%d.html">next</a> <a href="/texts/more0/000.bin">x</a> <a href="../README.txt?a=1&copy=2">y</a>`, i+1)
		all[fmt.Sprintf("history/%d.html", i)] = &fstest.MapFile{Data: []byte(page), ModTime: time.Date(1995, 1, 1, 0, 0, i, 0, time.UTC)}
		article := fmt.Sprintf("From: a@b.example\r\nSubject: %d\r\nDate: Tue, 20 Dec 1994 12:00:00 +0000\r\nMessage-ID: <more.%d@site.example>\r\nNewsgroups: lab.more\r\n\r\n%s", i, i, strings.Repeat("text\r\n", i*30))
		all[fmt.Sprintf("news/lab.more/%d", i+1)] = &fstest.MapFile{Data: []byte(article)}
	}
	all["history/120.html"] = &fstest.MapFile{Data: []byte("the last")}
	return all
}

// checkManifest compares what the manifest says with what is there.
func checkManifest(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	named := map[string]bool{}
	for r := range records(t, dir) {
		if r.Index {
			named[strings.TrimPrefix(r.Path+"/index.html", "/")] = true
		}
		if r.Path == "" || r.Kind == mirror.Folder {
			continue
		}
		named[r.Path] = true
		want := r.SHA256
		if r.Local != "" {
			want = r.Local
			original, err := os.ReadFile(filepath.Join(dir, ".deref", "original", r.Path))
			if err != nil || hash(string(original)) != r.SHA256 {
				t.Errorf("%s: the original: %v, %s", r.Path, err, hash(string(original)))
			}
		}
		if got := hash(files[r.Path]); got != want || r.Kind == "" {
			t.Errorf("%s: %s, and the manifest says %q %s", r.Path, got, r.Kind, want)
		}
	}
	for name := range files {
		if !named[name] {
			t.Errorf("%s is not in the manifest", name)
		}
	}
}

// records reads a manifest.
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
