package save_test

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/save"
	"example.org/deref/uri"
)

const big = 300 << 10

// tempDir opens a new directory.
func tempDir(t testing.TB) (*save.Dir, string) {
	t.Helper()
	dir := t.TempDir()
	f, err := save.OpenDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f, dir
}

func get(t testing.TB, s *site, path string, fo *fetch.Options, o *save.Options) (save.Result, error) {
	t.Helper()
	return save.File(context.Background(), s.client(t), uri.MustParse("test://h"+path), fo, o)
}

// holds checks that dir contains the files in want and no others.
func holds(t *testing.T, dir string, want map[string][]byte) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	for name, data := range want {
		if !slices.Contains(names, name) {
			t.Errorf("missing %s: got %q", name, names)
			continue
		}
		got, err := os.ReadFile(filepath.Join(dir, name))
		if data != nil && (err != nil || !bytes.Equal(got, data)) {
			t.Errorf("%s: got %d other bytes, %v; want %d", name, len(got), err, len(data))
		}
	}
	for _, name := range names {
		if _, ok := want[name]; !ok {
			t.Errorf("unexpected file %s", name)
		}
	}
}

func TestWholeDocument(t *testing.T) {
	for _, n := range []int{0, 1, 64<<10 - 1, 64 << 10, 64<<10 + 1, big} {
		f, dir := tempDir(t)
		data := octets(n, 'a')
		s := newSite(map[string]*object{"/d/x.txt": {data: data, valid: fetch.Validator{Tag: "1"}}})
		r, err := get(t, s, "/d/x.txt", nil, &save.Options{Dir: f, Sum: true, Sync: true})
		if err != nil || r.Size != int64(n) || r.Path != filepath.Join(dir, "x.txt") || len(r.SHA256) != 64 || r.Document == nil {
			t.Errorf("%d bytes: got %+v, %v; want Size %v, Path %v, len(SHA256) 64 and non-nil Document",
				n, r, err, int64(n), filepath.Join(dir, "x.txt"))
		}
		holds(t, dir, map[string][]byte{"x.txt": data})
	}
}

func TestPathReplacesAndKeepsItsMode(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "out")
	s := newSite(map[string]*object{"/x": {data: octets(big, 'a')}})
	for _, mode := range []fs.FileMode{0o600, 0o666, 0o755} {
		if err := errors.Join(os.WriteFile(path, []byte("old"), 0o600), os.Chmod(path, mode)); err != nil {
			t.Fatal(err)
		}
		if _, err := get(t, s, "/x", nil, &save.Options{Path: path}); err != nil {
			t.Fatal(err)
		}
		holds(t, dir, map[string][]byte{"out": octets(big, 'a')})
		if fi, _ := os.Stat(path); fi.Mode().Perm() != mode {
			t.Errorf("a file of %v became one of %v", mode, fi.Mode())
		}
	}
}

func TestPromise9DerivedNameNeverReplaces(t *testing.T) {
	f, dir := tempDir(t)
	os.WriteFile(filepath.Join(dir, "x"), []byte("old"), 0o666)
	s := newSite(map[string]*object{"/x": {data: []byte("new")}})
	_, err := get(t, s, "/x", nil, &save.Options{Dir: f})
	if !errors.Is(err, fetch.ErrLocal) || !errors.Is(err, fs.ErrExist) || len(s.asked) != 0 {
		t.Errorf("%v, after %d requests", err, len(s.asked))
	}
	holds(t, dir, map[string][]byte{"x": []byte("old")})
	if _, err := get(t, s, "/x", nil, &save.Options{Dir: f, Force: true}); err != nil {
		t.Error(err)
	}
	holds(t, dir, map[string][]byte{"x": []byte("new")})
}

// A name that is taken leaves the current directory closed: a list may have thousands of such names.
func TestTakenNameLeavesNothingOpen(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	os.Mkdir("x", 0o777)
	if _, err := get(t, newSite(nil), "/x", nil, nil); fetch.KindOf(err) != fetch.ErrLocal {
		t.Errorf("got %v, want %s", err, fetch.ErrLocal)
	}
	list, _ := filepath.Glob("/proc/self/fd/*") // where the system shows that
	for _, fd := range list {
		if to, _ := os.Readlink(fd); to == dir {
			t.Errorf("%s is open", to)
		}
	}
}

// The name may come into use while the document arrives.
func TestPromise9NameTakenMeanwhile(t *testing.T) {
	f, dir := tempDir(t)
	s := newSite(map[string]*object{"/x": {data: []byte("new")}})
	_, err := get(t, s, "/x", nil, &save.Options{Dir: f, Opened: func(*fetch.Document) error {
		return os.WriteFile(filepath.Join(dir, "x"), []byte("other"), 0o666)
	}})
	if !errors.Is(err, fs.ErrExist) {
		t.Errorf("got %v, want ErrExist", err)
	}
	holds(t, dir, map[string][]byte{"x": []byte("other")})
}

func TestServerName(t *testing.T) {
	f, dir := tempDir(t)
	header := map[string][]string{"Content-Disposition": {`attachment; filename="../../etc/report.pdf"`}}
	s := newSite(map[string]*object{"/x": {data: []byte("new"), header: header}, "/y": {data: []byte("y")},
		"/": {data: []byte("z"), mediaType: "text/html; charset=x"}})
	for _, path := range []string{"/x", "/y", "/"} {
		if _, err := get(t, s, path, nil, &save.Options{Dir: f, ServerName: true}); err != nil {
			t.Error(err)
		}
	}
	if _, err := get(t, s, "/x", nil, &save.Options{Dir: f, ServerName: true}); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a server's name replaced a file: got %v, want ErrExist", err)
	}
	holds(t, dir, map[string][]byte{"report.pdf": []byte("new"), "y": []byte("y"), "index.html": []byte("z")})
}

// A name from the server is a link out of the directory, dangling or to a file.
func TestPromise9NeverThroughALink(t *testing.T) {
	for _, there := range []bool{false, true} {
		f, dir := tempDir(t)
		out := filepath.Join(t.TempDir(), "target")
		if there {
			os.WriteFile(out, []byte("precious"), 0o666)
		}
		os.Symlink(out, filepath.Join(dir, "x"))
		os.Symlink(out, filepath.Join(dir, "x.part"))
		os.Symlink(out, filepath.Join(dir, "x.part.json"))
		s := newSite(map[string]*object{"/x": {data: octets(big, 'a'), valid: fetch.Validator{Tag: "1"}}})
		for _, o := range []save.Options{{Dir: f}, {Dir: f, Resume: true}} {
			if _, err := get(t, s, "/x", nil, &o); !errors.Is(err, fs.ErrExist) {
				t.Errorf("resume %v: a link did not count as a file: %v", o.Resume, err)
			}
		}
		for _, o := range []save.Options{{Dir: f, Force: true, Resume: true}, {Dir: f, Force: true}} {
			if _, err := get(t, s, "/x", nil, &o); err != nil {
				t.Error(err)
			}
		}
		if fi, err := os.Lstat(filepath.Join(dir, "x")); err != nil || !fi.Mode().IsRegular() {
			t.Errorf("got %v, %v; want a regular file", fi, err)
		}
		switch got, err := os.ReadFile(out); {
		case there && string(got) != "precious", !there && !errors.Is(err, fs.ErrNotExist):
			t.Errorf("written through the link: got %q, %v; want the old state", got, err)
		}
	}
}

// The user's own link stays, and its target is replaced in one step.
func TestUsersOwnLink(t *testing.T) {
	dir, other := t.TempDir(), t.TempDir()
	link, target := filepath.Join(dir, "link"), filepath.Join(other, "target")
	os.WriteFile(target, []byte("old"), 0o640)
	os.Symlink(target, link)
	s := newSite(map[string]*object{"/x": {data: []byte("new")}})
	if _, err := get(t, s, "/x", nil, &save.Options{Path: link}); err != nil {
		t.Fatal(err)
	}
	holds(t, other, map[string][]byte{"target": []byte("new")})
	if to, _ := os.Readlink(link); to != target {
		t.Errorf("the link points to %q, want %q", to, target)
	}
	os.Remove(target) // a dangling link is replaced
	if _, err := get(t, s, "/x", nil, &save.Options{Path: link}); err != nil {
		t.Fatal(err)
	}
	holds(t, other, nil)
	holds(t, dir, map[string][]byte{"link": []byte("new")})
}

func TestPromise2FailureLeavesTheName(t *testing.T) {
	for _, n := range []int64{1, 1000, 200 << 10} {
		dir := t.TempDir()
		path := filepath.Join(dir, "x")
		os.WriteFile(path, []byte("old"), 0o666)
		for _, kind := range []fetch.Kind{fetch.ErrLimit, fetch.ErrProtocol, fetch.ErrDecode} {
			s := newSite(map[string]*object{"/x": {data: octets(big, 'a'), valid: fetch.Validator{Tag: "1"}, breakAt: n,
				breakWith: fetch.Errorf(kind, "broken")}})
			if r, err := get(t, s, "/x", nil, &save.Options{Path: path}); !errors.Is(err, kind) || r.Part != "" {
				t.Errorf("got %+v, %v; want %v and Part empty", r, err, kind)
			}
			holds(t, dir, map[string][]byte{"x": []byte("old")})
		}
		s := newSite(map[string]*object{"/x": {data: octets(big, 'a'), valid: fetch.Validator{Tag: "1"}, breakAt: n}})
		s.noRanges = true // nothing to continue by, whatever is known of the object's state
		if r, err := get(t, s, "/x", nil, &save.Options{Path: path}); !errors.Is(err, fetch.ErrTruncated) || r.Part != "" {
			t.Errorf("got %+v, %v; want ErrTruncated and Part empty", r, err)
		}
		holds(t, dir, map[string][]byte{"x": []byte("old")})

		s.noRanges = false
		if r, err := get(t, s, "/x", nil, &save.Options{Path: path}); !errors.Is(err, fetch.ErrTruncated) || r.Part != path+".part" ||
			r.Size != n {
			t.Errorf("got %+v, %v; want ErrTruncated, Part %v and Size %v", r, err, path+".part", n)
		}
		holds(t, dir, map[string][]byte{"x": []byte("old"), "x.part": octets(int(n), 'a'), "x.part.json": nil})
	}
}

func TestCancel(t *testing.T) {
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(context.Background())
	o := &object{data: octets(big, 'a'), valid: fetch.Validator{Tag: "1"}, started: make(chan struct{}), hold: make(chan struct{})}
	s := newSite(map[string]*object{"/x": o})
	go func() { <-o.started; cancel() }()
	r, err := save.File(ctx, s.client(t), uri.MustParse("test://h/x"), nil, &save.Options{Path: filepath.Join(dir, "x")})
	if !errors.Is(err, context.Canceled) || r.Part == "" {
		t.Errorf("got %+v, %v; want Canceled and non-empty Part", r, err)
	}
	holds(t, dir, map[string][]byte{"x.part": nil, "x.part.json": nil})
}

func TestTimes(t *testing.T) {
	f, dir := tempDir(t)
	when := time.Date(1994, 5, 25, 12, 0, 0, 0, time.UTC)
	s := newSite(map[string]*object{"/x": {data: []byte("x"), modified: when}})
	if _, err := get(t, s, "/x", nil, &save.Options{Dir: f, Times: true}); err != nil {
		t.Fatal(err)
	}
	if fi, _ := os.Stat(filepath.Join(dir, "x")); !fi.ModTime().Equal(when) {
		t.Errorf("got %v, want %v", fi.ModTime(), when)
	}
}

func TestStreams(t *testing.T) {
	s := newSite(map[string]*object{"/x": {data: octets(big, 'a')}})
	var out bytes.Buffer
	if r, err := get(t, s, "/x", nil, &save.Options{Path: "-", Stdout: &out}); err != nil || r.Size != big ||
		!bytes.Equal(out.Bytes(), octets(big, 'a')) {
		t.Errorf("got %+v, %v; want Size %v and out.Bytes() equal to octets(big, 'a')", r, err, big)
	}
	if _, err := get(t, s, "/x", nil, &save.Options{Path: "-"}); !errors.Is(err, fetch.ErrLocal) {
		t.Errorf("got %v, want ErrLocal", err)
	}
	if _, err := get(t, s, "/x", nil, &save.Options{Path: t.TempDir()}); !errors.Is(err, fetch.ErrLocal) {
		t.Errorf("a directory: got %v, want ErrLocal", err)
	}
	if _, err := get(t, s, "/x", nil, &save.Options{Path: filepath.Join(t.TempDir(), "a", "b")}); !errors.Is(err, fetch.ErrLocal) {
		t.Errorf("a missing directory: got %v, want ErrLocal", err)
	}
	path := filepath.Join(t.TempDir(), "a", "b", "c")
	if _, err := get(t, s, "/x", nil, &save.Options{Path: path, CreateDirs: true}); err != nil {
		t.Error(err)
	}
}

func TestRangeAskedFor(t *testing.T) {
	f, dir := tempDir(t)
	s := newSite(map[string]*object{"/x": {data: octets(big, 'a')}, "/whole": {data: octets(big, 'a'), noRange: true}})
	if _, err := get(t, s, "/x", &fetch.Options{Range: fetch.Range{From: 10, To: 20}}, &save.Options{Dir: f}); err != nil {
		t.Error(err)
	}
	if _, err := get(t, s, "/x", &fetch.Options{Range: fetch.Range{From: -5}}, &save.Options{Dir: f, Name: "end"}); err != nil {
		t.Error(err)
	}
	if _, err := get(t, s, "/whole", &fetch.Options{Range: fetch.Range{From: 10}}, &save.Options{Dir: f}); !errors.Is(err, fetch.ErrRange) {
		t.Errorf("got %v, want ErrRange", err)
	}
	a := octets(big, 'a')
	holds(t, dir, map[string][]byte{"x": a[10:20], "end": a[big-5:]})
}

func TestSubFolder(t *testing.T) {
	f, dir := tempDir(t)
	os.Symlink(t.TempDir(), filepath.Join(dir, "out"))
	if _, err := f.Sub("out"); err == nil {
		t.Error("Sub opened a link")
	}
	sub, err := f.Sub("../a")
	if err != nil {
		t.Fatal(err)
	}
	defer sub.Close()
	s := newSite(map[string]*object{"/x": {data: []byte("x")}})
	r, err := get(t, s, "/x", nil, &save.Options{Dir: sub})
	if err != nil || r.Path != filepath.Join(dir, "a", "x") || !strings.HasPrefix(r.Path, dir) {
		t.Errorf("got %+v, %v; want Path %v and Path starting with %q", r, err, filepath.Join(dir, "a", "x"), dir)
	}
}

// A file that exists is the result of a save with Keep, also if this process has made it, alone or while the document was fetched.
func TestKeepsItsOwnFiles(t *testing.T) {
	f, dir := tempDir(t)
	s := newSite(map[string]*object{"/x": {data: []byte("x")}, "/y": {data: []byte("y")}, "/a/x": {data: []byte("another")}})
	for _, path := range []string{"/y", "/z", "/x", "/a/x"} { // the directory is read for the second
		r, err := get(t, s, path, nil, &save.Options{Dir: f, Keep: true})
		if path == "/z" {
			continue
		}
		if err != nil || r.Unchanged != (path == "/a/x") {
			t.Errorf("%s: got %+v, %v; want a file, and the third one kept", path, r, err)
		}
	}
	late := &save.Options{Dir: f, Keep: true, Name: "late", Opened: func(*fetch.Document) error {
		return os.WriteFile(filepath.Join(dir, "late"), []byte("late"), 0o600)
	}}
	if r, err := get(t, s, "/x", nil, late); err != nil || !r.Unchanged || r.Path != filepath.Join(dir, "late") {
		t.Errorf("made meanwhile: got %+v, %v; want it unchanged", r, err)
	}
	holds(t, dir, map[string][]byte{"x": []byte("x"), "y": []byte("y"), "late": []byte("late")})
}
