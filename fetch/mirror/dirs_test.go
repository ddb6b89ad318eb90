package mirror

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/save"
	"example.org/deref/uri"
)

// storeIn returns a store with only its directory.
func storeIn(t testing.TB, dir string) *store {
	t.Helper()
	d, err := save.OpenDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	s := &store{dir: d}
	t.Cleanup(func() { s.dirs.close(); d.Close() })
	return s
}

// write saves a file by way of openDir.
func (s *store) write(t testing.TB, at, name, text string) error {
	t.Helper()
	d, done, err := s.openDir(at)
	if err != nil {
		return err
	}
	defer done()
	_, err = save.Document(t.Context(), fetch.NewDocument(io.NopCloser(strings.NewReader(text))), &save.Options{Dir: d, Name: name, Force: true})
	return err
}

// Without hard links, the original of a document is copied. That of one called new stays.
func TestOriginalsAreCopied(t *testing.T) {
	s, dir := &store{}, t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, originalName), 0o700); err != nil {
		t.Fatal(err)
	}
	var err error
	if s.docs, err = os.OpenRoot(dir); err != nil {
		t.Fatal(err)
	}
	defer s.docs.Close()
	names := []string{"new", "b"}
	for _, name := range names {
		if err := cmp.Or(s.docs.WriteFile(name, []byte(name), 0o600), s.copyOriginal(name, originalOf(name))); err != nil {
			t.Error(err)
		}
	}
	for _, name := range names {
		if got, err := s.docs.ReadFile(originalOf(name)); string(got) != name {
			t.Errorf("the original of %s: got %q, %v", name, got, err)
		}
	}
}

// A directory that was used before is not used again after something else got its name, or that of a directory on the way to it.
func TestOpenDirs(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("an open directory cannot be moved")
	}
	for _, tt := range []struct {
		name   string
		change func(root, outside string) error
		fails  bool   // nothing is written
		want   string // the path of the file otherwise
	}{
		{"nothing", func(string, string) error { return nil }, false, "in/a/b/new"},
		{"removed", func(root, _ string) error { return os.RemoveAll(root + "/a") }, false, "in/a/b/new"},
		{"moved", func(root, _ string) error { return os.Rename(root+"/a", root+"/moved") }, false, "in/a/b/new"},
		{"moved outside", func(root, outside string) error { return os.Rename(root+"/a/b", outside+"/b") }, false, "in/a/b/new"},
		{"replaced", func(root, _ string) error {
			return errors.Join(os.RemoveAll(root+"/a/b"), os.Mkdir(root+"/a/b", 0o755))
		}, false, "in/a/b/new"},
		{"link to the outside", func(root, outside string) error {
			return errors.Join(os.RemoveAll(root+"/a/b"), os.Symlink(outside, root+"/a/b"))
		}, true, ""},
		{"link to it", func(root, _ string) error {
			return errors.Join(os.Rename(root+"/a/b", root+"/a/c"), os.Symlink("c", root+"/a/b"))
		}, true, ""},
		{"link on the way to it", func(root, _ string) error {
			return errors.Join(os.Rename(root+"/a", root+"/c"), os.Symlink("c", root+"/a"))
		}, true, ""},
		{"link to it outside", func(root, outside string) error {
			return errors.Join(os.Rename(root+"/a/b", outside+"/b"), os.Symlink(outside+"/b", root+"/a/b"))
		}, true, ""},
		{"file", func(root, _ string) error {
			return errors.Join(os.RemoveAll(root+"/a"), os.WriteFile(root+"/a", nil, 0o600))
		}, true, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			top := t.TempDir()
			root, outside := filepath.Join(top, "in"), filepath.Join(top, "out")
			if err := errors.Join(os.Mkdir(root, 0o755), os.Mkdir(outside, 0o755)); err != nil {
				t.Fatal(err)
			}
			s := storeIn(t, root)
			if err := s.write(t, "a/b", "old", "old"); err != nil {
				t.Fatal(err)
			}
			if err := tt.change(root, outside); err != nil {
				t.Skip(err)
			}
			err := s.write(t, "a/b/", "new", "new")
			if (err != nil) != tt.fails {
				t.Errorf("got %v, want an error %t", err, tt.fails)
			}
			var found []string
			filepath.WalkDir(top, func(path string, _ os.DirEntry, _ error) error {
				if filepath.Base(path) == "new" {
					rel, _ := filepath.Rel(top, path)
					found = append(found, filepath.ToSlash(rel))
				}
				return nil
			})
			if got := strings.Join(found, " "); got != tt.want {
				t.Errorf("the file was written to %q, want %q", got, tt.want)
			}
		})
	}
}

// A directory in use stays open when others take its place, and no more than maxOpenDirs stay open after use.
func TestOpenDirsAreFew(t *testing.T) {
	s := storeIn(t, t.TempDir())
	first, done, err := s.openDir("first")
	if err != nil {
		t.Fatal(err)
	}
	for i := range maxOpenDirs + 1 {
		if err := s.write(t, fmt.Sprint("d", i), "file", "x"); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(s.dirs.list); n != maxOpenDirs {
		t.Errorf("got %d directories open, want %d", n, maxOpenDirs)
	}
	if _, err := first.Lstat("none"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v, want %v: the directory in use was closed", err, os.ErrNotExist)
	}
	done()
	if _, err := first.Lstat("none"); !errors.Is(err, os.ErrClosed) {
		t.Errorf("got %v, want %v: the directory is open after its last use", err, os.ErrClosed)
	}
}

// BenchmarkOpenDir opens a directory two steps deep, as saving a document does.
func BenchmarkOpenDir(b *testing.B) {
	s := storeIn(b, b.TempDir())
	for b.Loop() {
		_, done, err := s.openDir("a/b")
		if err != nil {
			b.Fatal(err)
		}
		done()
	}
}

// A listing shows that a document has not changed if its time is as exact as the listing states, and the document was old enough when it was
// fetched: less exact times neither cause a request nor hide a change.
func TestListingsOfUnequalPrecision(t *testing.T) {
	const second, minute, day = time.Second, time.Minute, 24 * time.Hour
	at := time.Date(2026, 3, 4, 10, 11, 12, 0, time.UTC)
	entry := func(precision time.Duration, noZone bool, later time.Duration) fetch.Entry {
		unit := max(precision, time.Second)
		return fetch.Entry{Size: 4, Modified: at.Add(later).Truncate(unit), Precision: precision, ZoneUnknown: noZone}
	}
	for _, tt := range []struct {
		name       string
		then, now  fetch.Entry
		afterwards time.Duration // the time of the fetch after that of the document
		want       bool
	}{
		{"the same second", entry(second, false, 0), entry(second, false, 0), time.Hour, true},
		{"the next second", entry(second, false, 0), entry(second, false, second), time.Hour, false},
		{"a full minute, exact", entry(second, false, -12*second), entry(second, false, -12*second), time.Hour, true},
		{"young", entry(second, false, 0), entry(second, false, 0), minute, false},
		{"the minute, in a known zone", entry(minute, false, 0), entry(minute, false, 0), time.Hour, true},
		{"the minute, perhaps in a zone far west", entry(minute, true, 0), entry(minute, true, 0), 11 * time.Hour, false},
		{"the minute, in any zone", entry(minute, true, 0), entry(minute, true, 0), 13 * time.Hour, true},
		{"the next minute", entry(minute, true, 0), entry(minute, true, minute), 13 * time.Hour, false},
		{"the minute and then the day", entry(minute, true, 0), entry(day, true, 0), 2 * day, true},
		{"the minute and then the day, fetched on that day", entry(minute, true, 0), entry(day, true, 0), 12 * time.Hour, false},
		{"the minute and then the next day", entry(minute, true, 0), entry(day, true, day), 3 * day, false},
		{"the second and then the minute", entry(second, false, 0), entry(minute, false, 0), time.Hour, true},
		{"zones that cannot be compared", entry(second, false, 0), entry(minute, true, 0), 2 * day, false},
		{"not stated, without seconds", entry(0, false, -12*second), entry(0, false, -12*second), time.Hour, false},
		{"not stated, with seconds", entry(0, false, 0), entry(0, false, 0), time.Hour, true},
		{"not stated, old", entry(0, false, -12*second), entry(0, false, -12*second), 2 * day, true},
		{"another size", fetch.Entry{Size: 5, Modified: at, Precision: second}, entry(second, false, 0), time.Hour, false},
	} {
		r := Record{Listed: listedOf(tt.then), Time: at.Add(tt.afterwards)}
		if got := r.isListed(listedOf(tt.now)); got != tt.want {
			t.Errorf("%s: got %t, want %t", tt.name, got, tt.want)
		}
	}
}

// The state of a pass stays locked when a pass with other options begins: another process could lock a file that is then removed.
func TestPassStaysLocked(t *testing.T) {
	s, err := openStore(t.TempDir(), false, false)
	if err != nil {
		t.Fatal(err)
	}
	defer s.close()
	var was os.FileInfo
	for _, options := range []string{"interrupted", "other"} {
		f, state, resumed, err := s.openPass(options, "paused")
		if err != nil || resumed {
			t.Fatalf("got %v, resumed %t, want a new pass", err, resumed)
		}
		is, err := s.meta.Stat(passName + "/" + stateName)
		if err != nil || was != nil && !os.SameFile(was, is) {
			t.Errorf("got %v, want the same file of the state", err)
		}
		was = is
		f.Close()
		state.Close()
	}
}

// A line of a menu that is too long for a link is copied in constant memory.
func TestLongLineOfAMenu(t *testing.T) {
	const size, most = 4 << 20, 1 << 20
	text := strings.NewReader(strings.Repeat("x", size) + "\niend\n")
	var got bytes.Buffer
	got.Grow(size + 100)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	err := (&mirror{}).relinkMenu(&got, text, uri.URI{})
	runtime.ReadMemStats(&after)
	text.Seek(0, io.SeekStart)
	want, _ := io.ReadAll(text)
	if err != nil || !bytes.Equal(got.Bytes(), want) {
		t.Errorf("got %d bytes, %v, want the %d of the menu", got.Len(), err, len(want))
	}
	if used := after.TotalAlloc - before.TotalAlloc; used > most {
		t.Errorf("got %d bytes allocated, want at most %d", used, most)
	}
}
