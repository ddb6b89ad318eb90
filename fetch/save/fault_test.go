package save_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fetchtest/loopback"
	"example.org/deref/fetch/save"
	"example.org/deref/uri"
)

// helperDir is set for the test process that will be killed.
const helperDir = "SAVE_TEST_HELPER_DIR"

// TestHelperProcess writes versions of three documents, small and long, until it is killed.
func TestHelperProcess(t *testing.T) {
	dir := os.Getenv(helperDir)
	if dir == "" {
		t.Skip("only as a child of TestPromise2Killed")
	}
	var sites []*site
	for seed := byte('a'); seed <= 'e'; seed++ {
		sites = append(sites, newSite(map[string]*object{
			"/small": {data: octets(1000, seed)},
			"/long":  {data: octets(3*big, seed), valid: fetch.Validator{Tag: string(seed)}},
		}))
	}
	for i := 0; ; i++ {
		s := sites[i%len(sites)]
		for _, name := range []string{"small", "long"} {
			if _, err := get(t, s, "/"+name, nil, &save.Options{Path: filepath.Join(dir, name), Resume: i%2 == 1}); err != nil {
				fmt.Println(err)
				os.Exit(3)
			}
		}
		if i == 0 {
			fmt.Println("first")
		}
	}
}

// Whenever the process is killed, each name holds one complete version, and the part can be continued.
func TestPromise2Killed(t *testing.T) {
	if testing.Short() {
		t.Skip("kills twenty processes")
	}
	dir := t.TempDir()
	parts := 0
	for range 20 {
		cmd := exec.Command(os.Args[0], "-test.run=^TestHelperProcess$")
		cmd.Env = append(os.Environ(), helperDir+"="+dir, "GORACE=atexit_sleep_ms=20")
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		first := make([]byte, 5)
		if _, err := io.ReadFull(out, first); err != nil || string(first) != "first" {
			t.Fatalf("the child printed %q, %v; want \"first\"", first, err)
		}
		loopback.Pause(40 * time.Millisecond)
		cmd.Process.Kill()
		if err := cmd.Wait(); err == nil || strings.Contains(err.Error(), "exit status") {
			t.Fatalf("the child was not killed: %v", err)
		}
		checkVersion(t, filepath.Join(dir, "small"), 1000)
		checkVersion(t, filepath.Join(dir, "long"), 3*big)
		if _, err := os.Stat(filepath.Join(dir, "long.part")); err == nil {
			parts++
		}
	}
	t.Logf("%d parts were left", parts)
	want := octets(3*big, 'z')
	s := newSite(map[string]*object{"/long": {data: want, valid: fetch.Validator{Tag: "z"}}})
	if _, err := get(t, s, "/long", nil, &save.Options{Path: filepath.Join(dir, "long"), Resume: true}); err != nil {
		t.Error(err)
	}
	if got, _ := os.ReadFile(filepath.Join(dir, "long")); !bytes.Equal(got, want) {
		t.Errorf("continued into %d other bytes, want %d", len(got), len(want))
	}
	for _, gone := range []string{"long.part", "long.part.json"} {
		if _, err := os.Lstat(filepath.Join(dir, gone)); err == nil {
			t.Errorf("%s is left over", gone)
		}
	}
}

func checkVersion(t *testing.T, path string, size int) {
	t.Helper()
	got, err := os.ReadFile(path)
	if err != nil || len(got) != size || !bytes.Equal(got, octets(size, got[1])) {
		t.Errorf("%s: got %d bytes of no version, %v; want %d", path, len(got), err, size)
	}
}

func TestPromise2DeviceFull(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("no /dev/full here")
	}
	for _, n := range []int{10, big} {
		s := newSite(map[string]*object{"/x": {data: octets(n, 'a')}})
		if _, err := get(t, s, "/x", nil, &save.Options{Path: "/dev/full"}); !errors.Is(err, fetch.ErrDisk) {
			t.Errorf("%d bytes: got %v, want ErrDisk", n, err)
		}
		if r, err := get(t, s, "/x", nil, &save.Options{Path: "/dev/null"}); err != nil || r.Size != int64(n) {
			t.Errorf("%d bytes: got %+v, %v; want Size %v", n, r, err, int64(n))
		}
	}
	if fi, err := os.Stat("/dev/null"); err != nil || fi.Mode().IsRegular() {
		t.Fatalf("/dev/null was replaced: got %v, %v; want a device", fi, err)
	}
}

func TestReadOnlyFolder(t *testing.T) {
	if os.Getuid() == 0 {
		if _, err := os.Stat("/proc/version"); err != nil {
			t.Skip("nothing is read-only to root here")
		}
		s := newSite(map[string]*object{"/x": {data: []byte("x")}})
		f, err := save.OpenDir("/proc/self")
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if _, err := get(t, s, "/x", nil, &save.Options{Dir: f}); !errors.Is(err, fetch.ErrLocal) {
			t.Errorf("got %v, want ErrLocal", err)
		}
		return
	}
	f, dir := tempDir(t)
	os.Chmod(dir, 0o555)
	s := newSite(map[string]*object{"/x": {data: []byte("x")}})
	if _, err := get(t, s, "/x", nil, &save.Options{Dir: f}); !errors.Is(err, fetch.ErrLocal) {
		t.Errorf("got %v, want ErrLocal", err)
	}
}

// Concurrent saves of one name into one directory.
func TestConcurrent(t *testing.T) {
	f, dir := tempDir(t)
	s := newSite(map[string]*object{"/small": {data: octets(100, 'a')}, "/long": {data: octets(big, 'a'), valid: fetch.Validator{Tag: "1"}}})
	c := s.client(t)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for _, path := range []string{"/small", "/long", "/small"} {
				if _, err := save.File(context.Background(), c, uri.MustParse("test://h"+path), nil, &save.Options{Dir: f, Force: true}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	entries, _ := os.ReadDir(dir)
	if len(entries) != 2 {
		t.Errorf("got %v, want the two files", entries)
	}
	for _, e := range entries {
		size := 100
		if strings.HasPrefix(e.Name(), "long") {
			size = big
		}
		checkVersion(t, filepath.Join(dir, e.Name()), size)
	}
}

// BenchmarkSmallDocument writes new files: replacing one costs a flush where the file system is ext4 (auto_da_alloc).
func BenchmarkSmallDocument(b *testing.B) {
	f, dir := tempDir(b)
	s := newSite(map[string]*object{"/x": {data: octets(2<<10, 'a')}})
	c := s.client(b)
	u := uri.MustParse("test://h/x")
	b.ReportAllocs()
	for b.Loop() {
		s.asked = s.asked[:0]
		if _, err := save.File(context.Background(), c, u, nil, &save.Options{Dir: f}); err != nil {
			b.Fatal(err)
		}
		os.Remove(filepath.Join(dir, "x"))
	}
}
