package save_test

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/fetch/save"
)

func text(s string) func(io.Writer) error {
	return func(w io.Writer) error { _, err := io.WriteString(w, s); return err }
}

// writers are the ways to write a user's file: as a whole, and in place.
func writers() map[string]func(path, s string) error {
	return map[string]func(path, s string) error{
		"Rewrite": func(path, s string) error { _, err := save.Rewrite(path, 0o600, text(s)); return err },
		"Open": func(path, s string) error {
			f, err := save.Open(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
			if err != nil {
				return err
			}
			_, err = io.WriteString(f, s)
			return errors.Join(err, f.Close())
		},
	}
}

func write(t *testing.T, path, s string, mode fs.FileMode) {
	t.Helper()
	if err := errors.Join(os.WriteFile(path, []byte(s), 0o600), os.Chmod(path, mode)); err != nil {
		t.Fatal(err)
	}
}

func owns(t *testing.T, path, want string, mode fs.FileMode) {
	t.Helper()
	b, err := os.ReadFile(path)
	fi, serr := os.Lstat(path)
	if err != nil || serr != nil || string(b) != want || fi.Mode() != mode {
		t.Errorf("%s: %q, %v, %v %v; want %q, %v", filepath.Base(path), b, fi.Mode(), err, serr, want, mode)
	}
}

func TestOwnFileIsNewOrKeepsItsMode(t *testing.T) {
	for name, put := range writers() {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "x")
			for _, step := range []struct {
				old  fs.FileMode // of the file that is there; 0 is none
				want fs.FileMode
			}{{0, 0o600}, {0o640, 0o640}, {0o604, 0o604}} {
				if step.old != 0 {
					write(t, path, "old", step.old)
				}
				if err := put(path, "new"); err != nil {
					t.Fatal(err)
				}
				owns(t, path, "new", step.want)
			}
			if list, err := os.ReadDir(filepath.Dir(path)); err != nil || len(list) != 1 {
				t.Errorf("left: got %v, %v; want len(list) 1", list, err)
			}
			if err := put(filepath.Join(filepath.Dir(path), "no", "x"), ""); fetch.KindOf(err) != fetch.ErrLocal {
				t.Errorf("no directory: got %v, want ErrLocal", err)
			}
			if err := put(filepath.Dir(path), ""); fetch.KindOf(err) != fetch.ErrLocal {
				t.Errorf("a directory: got %v, want ErrLocal", err)
			}
		})
	}
}

// A link to a file stays a link. A dangling link is replaced, and nothing is created at its target.
func TestOwnFileBehindLinks(t *testing.T) {
	for name, put := range writers() {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			at := func(name string) string { return filepath.Join(dir, name) }
			for _, err := range []error{os.MkdirAll(at("a/b"), 0o755), os.Symlink("../real", at("a/link")), os.Symlink("a/link", at("first")),
				os.Symlink("b/missing", at("a/gone")),
				os.Symlink("b", at("a/c")), os.Symlink("loop", at("loop"))} {
				if err != nil {
					t.Fatal(err)
				}
			}
			write(t, at("real"), "old", 0o640)
			for _, path := range []string{"first", "a/link"} {
				if err := put(at(path), path); err != nil {
					t.Fatal(err)
				}
				owns(t, at("real"), path, 0o640)
				if fi, err := os.Lstat(at(path)); err != nil || fi.Mode()&fs.ModeSymlink == 0 {
					t.Errorf("%s: %v %v, want a link", path, fi.Mode(), err)
				}
			}
			if err := put(at("a/gone"), "x"); err != nil {
				t.Fatal(err)
			}
			owns(t, at("a/gone"), "x", 0o600)
			if _, err := os.Lstat(at("a/b/missing")); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("a file was made through a link: got %v, want ErrNotExist", err)
			}
			if err := put(at("loop"), ""); !errors.Is(err, syscall.ELOOP) || fetch.KindOf(err) != fetch.ErrLocal {
				t.Errorf("loop: got %v, want ELOOP and ErrLocal", err)
			}
		})
	}
}

// A target that is not a regular file is written to, also through links, and is not replaced.
func TestOwnFileOnFIFO(t *testing.T) {
	for name, put := range writers() {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			fifo, link := filepath.Join(dir, "f"), filepath.Join(dir, "l")
			if err := errors.Join(syscall.Mkfifo(fifo, 0o600), os.Symlink("f", link)); err != nil {
				t.Skip(err)
			}
			for _, path := range []string{fifo, link} {
				got := make(chan string)
				go func() {
					b, err := os.ReadFile(fifo)
					if err != nil {
						b = []byte(err.Error())
					}
					got <- string(b)
				}()
				if err := put(path, "text"); err != nil {
					t.Fatal(err)
				}
				if s := <-got; s != "text" {
					t.Errorf("%s: read %q, want %q", path, s, "text")
				}
				if fi, err := os.Lstat(fifo); err != nil || fi.Mode().Type() != fs.ModeNamedPipe {
					t.Errorf("%s: %v, %v, want a FIFO", path, fi.Mode(), err)
				}
			}
		})
	}
}

// The test makes a device of its own instead of using /dev/null: if a bug replaced that as root, the system would break.
func TestOwnFileOnDevice(t *testing.T) {
	dir := t.TempDir()
	device, link := filepath.Join(dir, "nn"), filepath.Join(dir, "l")
	if err := errors.Join(syscall.Mknod(device, syscall.S_IFCHR|0o666, 1<<8|3), os.Symlink(device, link)); err != nil {
		t.Skip("only root makes devices:", err)
	}
	for name, put := range writers() {
		for _, path := range []string{device, link} {
			if err := put(path, "text"); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			if fi, err := os.Lstat(device); err != nil || fi.Mode().Type() != fs.ModeDevice|fs.ModeCharDevice {
				t.Fatalf("%s %s: %v, %v, want a device", name, path, fi.Mode(), err)
			}
		}
	}
	if file, direct, err := save.Resolve(link); err != nil || !direct {
		t.Errorf("Resolve: got %s, %v, %v; want direct true", file, direct, err)
	}
}

// Saving a document follows the same rules: a link to an open descriptor does not name the open file.
func TestLinkToDescriptor(t *testing.T) {
	dir := t.TempDir()
	if _, err := os.Stat("/proc/self/fd"); err != nil {
		t.Skip(err)
	}
	out, err := os.OpenFile(filepath.Join(dir, "log"), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	io.WriteString(out, "before ")
	link := filepath.Join(dir, "l")
	if err := os.Symlink("/proc/self/fd/"+strconv.Itoa(int(out.Fd())), link); err != nil {
		t.Fatal(err)
	}
	if _, err := save.Rewrite(link, 0o600, text("after")); err != nil {
		t.Fatal(err)
	}
	io.WriteString(out, " end")
	owns(t, filepath.Join(dir, "log"), "before after end", 0o600)
}

// Files of other users that root saves into keep their owner.
func TestKeepsOwner(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root gives files away")
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "x")
	owner := func() [2]uint32 {
		fi, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		return [2]uint32{fi.Sys().(*syscall.Stat_t).Uid, fi.Sys().(*syscall.Stat_t).Gid}
	}
	s := newSite(map[string]*object{"/x": {data: []byte("new")}, "/long": {data: make([]byte, 200<<10)}})
	for name, put := range map[string]func() error{
		"File": func() error {
			r, err := get(t, s, "/x", nil, &save.Options{Path: path})
			return errors.Join(err, r.LostMetadata)
		},
		"long": func() error {
			r, err := get(t, s, "/long", nil, &save.Options{Path: path})
			return errors.Join(err, r.LostMetadata)
		},
		"Rewrite": func() error { lost, err := save.Rewrite(path, 0o600, text("new")); return errors.Join(err, lost) },
		"Keep": func() error {
			f, err := os.Create(path + ".open")
			if err != nil {
				return err
			}
			lost, err := save.CopyMetadata(f, path)
			return errors.Join(lost, err, f.Close(), os.Rename(path+".open", path))
		},
	} {
		write(t, path, "old", 0o640)
		if err := os.Chown(path, 12, 34); err != nil {
			t.Fatal(err)
		}
		if err := put(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		fi, err := os.Stat(path)
		if got := owner(); err != nil || got != [2]uint32{12, 34} || fi.Mode() != 0o640 {
			t.Errorf("%s: %v, %v, %v, want 12:34 and 0640", name, got, fi.Mode(), err)
		}
	}
}
