package mirror_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"example.org/deref/fetch/mirror"
	"example.org/deref/schemes/ftp/ftptest"
	"example.org/deref/uri"
)

// linked serves a tree with symbolic links by ftp and file. It returns the roots.
func linked(t *testing.T) (dir string, roots map[string]string) {
	t.Helper()
	if runtime.GOOS == "windows" || runtime.GOOS == "plan9" {
		t.Skip("links")
	}
	top := t.TempDir()
	dir = filepath.Join(top, "pub")
	for _, name := range []string{"void", "sub/deep", "other"} {
		if err := os.MkdirAll(filepath.Join(dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range map[string]string{"a.txt": "a", "sub/b.txt": "b", "sub/deep/c d.txt": "c", "other/o.txt": "o",
		"../outside.txt": "outside"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for name, to := range map[string]string{
		"file": "a.txt", "dir": "sub/deep", "sub/up": "..", "sub/deep/back": "../../a.txt", "chain": "dir", "through": "dir/c d.txt", "self": ".",
		"broken": "nonesuch", "circle": "circle2", "circle2": "circle", "far": "../outside.txt", "away": "../../../etc", "voidlink": "void",
	} {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	f := ftptest.NewServer(os.DirFS(top), nil)
	t.Cleanup(f.Close)
	return dir, map[string]string{"ftp": f.URL + "/pub/", "file": "file://" + filepath.ToSlash(dir) + "/"}
}

// runWith mirrors and returns the events by name.
func runWith(t *testing.T, root, dir string, o *mirror.Options) (mirror.Summary, map[string]mirror.Event) {
	t.Helper()
	events := map[string]mirror.Event{}
	o.Done = func(e mirror.Event) {
		s := e.URI.String()
		events[s[strings.LastIndexByte(strings.TrimSuffix(s, "/"), '/')+1:]] = e
	}
	sum, err := mirror.Run(t.Context(), client(t), uri.MustParse(root), dir, o)
	if err != nil || sum.Failed > 0 {
		t.Fatalf("%s: got %v; %+v; %v, want Failed 0", root, err, sum, events)
	}
	return sum, events
}

// TestSymbolicLinks: a link into the mirror becomes a link. For other links the document is saved or an event reports the link. No link
// counts as a failure.
func TestSymbolicLinks(t *testing.T) {
	t.Parallel()
	_, roots := linked(t)
	for name, root := range roots {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for _, o := range []*mirror.Options{{NoIndex: true}, {NoIndex: true}, {NoIndex: true, Delete: true}, {DryRun: true, NoIndex: true}} {
				_, events := runWith(t, root, dir, o)
				for at, want := range map[string]string{"file": "a.txt", "dir": "sub/deep", "sub/up": "..", "sub/deep/back": "../../a.txt",
					"chain":   "sub/deep",
					"through": "sub/deep/c d.txt", "self": ".", "voidlink": "void"} {
					if got, err := os.Readlink(filepath.Join(dir, at)); got != want {
						t.Errorf("%s is a link to %q, want %q: %v", at, got, want, err)
					}
				}
				for _, lost := range []string{"broken", "circle", "circle2"} {
					if e := events[lost]; !o.DryRun && (e.Did != mirror.LeftOut || !e.Warn || e.Why == "") {
						t.Errorf("%s: got %+v, want a warning", lost, e)
					}
				}
				if fi, err := os.Lstat(filepath.Join(dir, "void")); err != nil || !fi.IsDir() {
					t.Errorf("the empty directory: got %v, want IsDir true", err)
				}
				for _, none := range []string{"broken", "circle", "away"} {
					if _, err := os.Lstat(filepath.Join(dir, none)); err == nil {
						t.Errorf("there is a %s", none)
					}
				}
				got := tree(t, dir)
				if far := got["far"]; name == "ftp" && far != "outside" {
					t.Errorf("far: got %q, want the content of its target", far)
				}
			}
		})
	}
}

// TestPromise9NothingThroughLinks: nothing is written or removed through a link of an earlier run or a planted one: neither when the server
// has a directory or file in its place, nor by Delete, nor when an interrupted run is continued.
func TestPromise9NothingThroughLinks(t *testing.T) {
	t.Parallel()
	served, roots := linked(t)
	dir, outside := t.TempDir(), t.TempDir()
	os.WriteFile(filepath.Join(outside, "o.txt"), []byte("mine"), 0o600)
	os.WriteFile(filepath.Join(outside, "b.txt"), []byte("mine"), 0o600)
	runWith(t, roots["ftp"], dir, &mirror.Options{NoIndex: true})
	change := func(name string, f func(path string) error) {
		t.Helper()
		if err := f(filepath.Join(served, name)); err != nil {
			t.Fatal(err)
		}
	}
	// The links become a file and a directory.
	change("file", os.Remove)
	change("file", func(p string) error { return os.WriteFile(p, []byte("a file now"), 0o644) })
	change("dir", os.Remove)
	change("dir/c d.txt", func(p string) error {
		return errors.Join(os.Mkdir(filepath.Dir(p), 0o755), os.WriteFile(p, []byte("another c"), 0o644))
	})
	runWith(t, roots["ftp"], dir, &mirror.Options{NoIndex: true})
	got := tree(t, dir)
	if got["a.txt"] != "a" || got["file"] != "a file now" || got["sub/deep/c d.txt"] != "c" {
		t.Errorf("got %q, want a.txt \"a\", file \"a file now\" and sub/deep/c d.txt \"c\"", got)
	}
	// Planted links: a directory with copies is replaced by a link, within the mirror and out of it.
	for _, planted := range []string{outside, "sub"} {
		if err := errors.Join(os.RemoveAll(filepath.Join(dir, "other")), os.Symlink(planted, filepath.Join(dir, "other"))); err != nil {
			t.Fatal(err)
		}
		change("other/o.txt", func(p string) error { return os.WriteFile(p, []byte("changed, and longer"), 0o644) })
		mirrorAnyway(t, roots["ftp"], dir, &mirror.Options{NoIndex: true, Delete: true})
		change("other/o.txt", os.Remove)
		change("other/b.txt", func(p string) error { return os.WriteFile(p, []byte("new"), 0o644) })
		mirrorAnyway(t, roots["ftp"], dir, &mirror.Options{NoIndex: true, Delete: true})
		change("other/b.txt", os.Remove)
		mirrorAnyway(t, roots["ftp"], dir, &mirror.Options{Delete: true})
	}
	for path, want := range map[string]string{filepath.Join(outside, "o.txt"): "mine", filepath.Join(outside, "b.txt"): "mine",
		filepath.Join(dir, "sub/b.txt"): "b"} {
		if b, err := os.ReadFile(path); string(b) != want {
			t.Errorf("%s holds %q, want %q: %v", path, b, want, err)
		}
	}
	if got := namesInside(t, outside); got != "b.txt o.txt" {
		t.Errorf("unexpected file outside: %s", got)
	}
	if _, err := os.Lstat(filepath.Join(dir, "sub/o.txt")); err == nil {
		t.Error("something was written through a link within the mirror")
	}
}

// TestOctetNames: a name that is not UTF-8 is kept, and recognized in the next run.
func TestOctetNames(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("names are portable")
	}
	served, dir := t.TempDir(), t.TempDir()
	const name = "caf\xe9.txt"
	if err := os.WriteFile(filepath.Join(served, name), []byte("Latin-1"), 0o600); err != nil {
		t.Skip(err)
	}
	for range 2 {
		runWith(t, "file://"+served+"/", dir, &mirror.Options{NoIndex: true, Delete: true})
		if b, err := os.ReadFile(filepath.Join(dir, name)); string(b) != "Latin-1" {
			t.Errorf("%q holds %q, want Latin-1: %v", name, b, err)
		}
	}
	for r := range records(t, dir) {
		if r.Kind == mirror.File && r.Path != name {
			t.Errorf("the record's path is %q, want %q", r.Path, name)
		}
	}
	if got := namesInside(t, dir); got != ".deref "+name {
		t.Errorf("the directory has %q", got)
	}
}

// TestLinkIsDeleted: a link that the server no longer has is deleted, and its target stays.
func TestLinkIsDeleted(t *testing.T) {
	served, roots := linked(t)
	dir := t.TempDir()
	runWith(t, roots["ftp"], dir, &mirror.Options{NoIndex: true, Delete: true})
	for _, name := range []string{"dir", "file"} {
		if err := os.Remove(filepath.Join(served, name)); err != nil {
			t.Fatal(err)
		}
	}
	sum, _ := runWith(t, roots["ftp"], dir, &mirror.Options{NoIndex: true, Delete: true})
	var left []string
	for _, name := range []string{"dir", "file", "a.txt", "sub/deep/c d.txt"} {
		if _, err := os.Lstat(filepath.Join(dir, name)); err == nil {
			left = append(left, name)
		}
	}
	if want := []string{"a.txt", "sub/deep/c d.txt"}; !slices.Equal(left, want) || sum.Deleted != 2 {
		t.Errorf("%q are there, want %q; %+v", left, want, sum)
	}
}

// mirrorAnyway mirrors and accepts failures.
func mirrorAnyway(t *testing.T, root, dir string, o *mirror.Options) {
	t.Helper()
	if _, err := mirror.Run(t.Context(), client(t), uri.MustParse(root), dir, o); err != nil {
		t.Log(err)
	}
}
