package save_test

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/save"
	"example.org/deref/uri"
)

func fifo(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "fifo")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestFIFO(t *testing.T) {
	path := fifo(t)
	got := make(chan []byte)
	go func() {
		b, _ := os.ReadFile(path)
		got <- b
	}()
	a := octets(big, 'a')
	s := newSite(map[string]*object{"/x": {data: a}})
	if r, err := get(t, s, "/x", nil, &save.Options{Path: path, Sum: true}); err != nil || r.SHA256 != sumOf(a) || r.Path != path {
		t.Errorf("got %+v, %v; want SHA256 %v and Path %v", r, err, sumOf(a), path)
	}
	if b := <-got; string(b) != string(a) {
		t.Errorf("got %d other bytes, want %d", len(b), len(a))
	}
	if fi, _ := os.Lstat(path); fi.Mode().IsRegular() {
		t.Error("the FIFO was replaced")
	}
}

// Saving to a FIFO that nobody opens, or that nobody reads, ends with the context.
func TestFIFOEndsWithItsContext(t *testing.T) {
	for _, opened := range []bool{false, true} {
		path := fifo(t)
		if opened {
			f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
		}
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Millisecond)
		defer cancel()
		s := newSite(map[string]*object{"/x": {data: octets(big, 'a')}})
		_, err := save.File(ctx, s.client(t), uri.MustParse("test://h/x"), nil, &save.Options{Path: path})
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("opened %v: %v", opened, err)
		}
	}
}

// What is not a FIFO gets no reader later: it is refused at once.
func TestSocketIsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Skip(err)
	}
	defer l.Close()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err = save.File(ctx, nil, uri.MustParse("test://h/x"), nil, &save.Options{Path: path})
	if fetch.KindOf(err) != fetch.ErrLocal || !errors.Is(err, syscall.ENXIO) {
		t.Errorf("got %v, want %s and ENXIO", err, fetch.ErrLocal)
	}
}

// A file named by /dev/fd is appended to, not replaced: the path names a descriptor.
func TestDescriptorName(t *testing.T) {
	dir := t.TempDir()
	f, err := os.Create(filepath.Join(dir, "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	f.WriteString("before ")
	s := newSite(map[string]*object{"/x": {data: []byte("after")}})
	path := filepath.Join("/proc/self/fd", strconv.Itoa(int(f.Fd())))
	if _, err := get(t, s, "/x", nil, &save.Options{Path: path}); err != nil {
		t.Fatal(err)
	}
	holds(t, dir, map[string][]byte{"out": []byte("before after")})
}

// A FIFO that has the name of a part is not treated as a part.
func TestPartIsAFIFO(t *testing.T) {
	f, dir := tempDir(t)
	if err := syscall.Mkfifo(filepath.Join(dir, "x.part"), 0o600); err != nil {
		t.Fatal(err)
	}
	os.WriteFile(filepath.Join(dir, "x.part.json"), []byte(`{"uri":"test://h/x","tag":"1"}`), 0o600)
	a := octets(big, 'a')
	s := newSite(map[string]*object{"/x": {data: a, valid: fetch.Validator{Tag: "1"}}})
	if _, err := get(t, s, "/x", nil, &save.Options{Dir: f, Resume: true}); err != nil {
		t.Error(err)
	}
	if got, _ := os.ReadFile(filepath.Join(dir, "x")); string(got) != string(a) {
		t.Errorf("got %d other bytes, want %d", len(got), len(a))
	}
	if fi, err := os.Lstat(filepath.Join(dir, "x.part")); err != nil || fi.Mode().IsRegular() {
		t.Errorf("got %v, %v; want the FIFO", fi, err)
	}
}

// Text for a user who reads along is not buffered.
func TestViewOfAStreamIsNotCollected(t *testing.T) {
	var out []string
	s := newSite(map[string]*object{"/x": {data: []byte("x")}})
	_, err := get(t, s, "/x", nil, &save.Options{Path: "-", Stdout: writerFunc(func(p []byte) { out = append(out, string(p)) }),
		View: func(w io.Writer, d *fetch.Document) error {
			io.WriteString(w, "one")
			if len(out) != 1 {
				t.Error("nothing came through before the end")
			}
			return nil
		}})
	if err != nil {
		t.Error(err)
	}
}

type writerFunc func([]byte)

func (f writerFunc) Write(p []byte) (int, error) {
	f(p)
	return len(p), nil
}
