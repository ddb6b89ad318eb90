//go:build unix

package main

import (
	"bytes"
	"crypto/sha512"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"example.org/deref/fetch/fetchtest/loopback"
	"example.org/deref/fetch/warc"
)

// A library is a server of incompressible pages at /0, /1 and so on.
type library struct {
	*httptest.Server
	pages int
	delay time.Duration

	mu      sync.Mutex
	grown   sync.Cond // answers has
	answers int
	stall   chan bool // if not nil, the response to page 3 waits until it is closed
}

func newLibrary(t *testing.T, pages int, delay time.Duration) *library {
	l := &library{pages: pages, delay: delay}
	l.grown.L = &l.mu
	l.Server = httptest.NewServer(http.HandlerFunc(l.serve))
	t.Cleanup(l.Close)
	return l
}

func (l *library) serve(w http.ResponseWriter, r *http.Request) {
	l.mu.Lock()
	l.answers++
	l.grown.Broadcast()
	l.mu.Unlock()
	if l.stall != nil && r.URL.Path == "/3" {
		<-l.stall
	}
	if l.delay > 0 {
		loopback.Pause(2 * l.delay)
	}
	io.WriteString(w, incompressible(r.URL.Path))
}

// incompressible returns the page at a path.
func incompressible(path string) string {
	var b strings.Builder
	for i := range 32 {
		fmt.Fprintf(&b, "%x", sha512.Sum512([]byte(path+fmt.Sprint(i))))
	}
	return b.String()
}

// list writes the URIs of all pages into a file.
func (l *library) list(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	for i := range l.pages {
		fmt.Fprintf(&b, "%s/%d\n", l.URL, i)
	}
	return write(t, filepath.Join(dir, "list"), b.String())
}

// limited runs the command with a limit of 128 blocks for the size of files.
func limited(cmd *exec.Cmd) *exec.Cmd {
	cmd.Args = append([]string{"sh", "-c", `ulimit -f 128; exec "$0" "$@"`, cmd.Path}, cmd.Args[1:]...)
	cmd.Path = "/bin/sh"
	return cmd
}

// A run without --state stops, too: no document is retrieved that would be missing from the archive.
func TestFullArchiveStops(t *testing.T) {
	if testing.Short() {
		t.Skip("many commands or processes")
	}
	dir := t.TempDir()
	l := newLibrary(t, 2000, 2*time.Millisecond)
	cmd := limited(derefCommand(t)("-s", "-S", "-Z", "--progress", "none", "--warc", filepath.Join(dir, "a.warc"), "--input", l.list(t, dir)))
	var said bytes.Buffer
	cmd.Stderr = &said
	cmd.Run()
	if code := cmd.ProcessState.ExitCode(); code != 14 || strings.Count(said.String(), "\n") != 1 {
		t.Errorf("got exit status %d, want 14 and one line: %s", code, &said)
	}
	if n := l.answered(); n > l.pages/2 {
		t.Errorf("got %d of %d pages, want at most half", n, l.pages)
	}
}

func (l *library) answered() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.answers
}

// await waits for n answers.
func (l *library) await(n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for l.answers < n {
		l.grown.Wait()
	}
}

// An archive that one process is writing is neither continued nor replaced by another process.
func TestArchiveInUse(t *testing.T) {
	dir := t.TempDir()
	l := newLibrary(t, 5, 0)
	l.stall = make(chan bool)
	archive := filepath.Join(dir, "a.warc")
	first := derefCommand(t)("-s", "-Z", "--parallel-max", "1", "--warc", archive, "--input", l.list(t, dir))
	start(t, first)
	l.await(4)
	for _, more := range [][]string{nil, {"--force"}, {"--state", filepath.Join(dir, "state")}} {
		cmd := derefCommand(t)(append([]string{"-o", filepath.Join(dir, "0"), "--warc", archive, l.URL + "/0"}, more...)...)
		out, _ := cmd.CombinedOutput()
		if code := cmd.ProcessState.ExitCode(); code != 14 || !strings.Contains(string(out), "in use by another process") {
			t.Errorf("%v: got exit status %d, want 14: %s", more, code, out)
		}
	}
	close(l.stall)
	if err := first.Wait(); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(archive)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	tally, err := warc.Check(f, func(f warc.Fault) { t.Errorf("got fault %s, want none", f) })
	if err != nil || tally.Types[warc.Response] != l.pages {
		t.Errorf("got %v, %v; want %d responses", tally, err, l.pages)
	}
}

// A document that needed two attempts is in the archive as one record.
func TestArchiveOfARetry(t *testing.T) {
	long(t, "many commands or processes")
	const text = "0123456789"
	tries := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		tries++
		w.Header().Set("Etag", `"1"`)
		switch {
		case tries%2 == 1:
			w.Header().Set("Content-Length", "10")
			io.WriteString(w, text[:4])
		case r.Header.Get("Range") != "":
			w.Header().Set("Content-Range", "bytes 4-9/10")
			w.WriteHeader(http.StatusPartialContent)
			io.WriteString(w, text[4:])
		default:
			io.WriteString(w, text)
		}
	}))
	defer server.Close()
	for _, more := range [][]string{nil, {"-Z"}} {
		dir := t.TempDir()
		archive, file := filepath.Join(dir, "a.warc"), filepath.Join(dir, "f")
		args := append([]string{"-s", "--retry", "1", "--retry-delay", "0", "--warc", archive, "-o", file, server.URL + "/"}, more...)
		if _, errs, code := invoked(t, input{}, args...); code != 0 {
			t.Fatalf("%v: got exit status %d, want success: %s", more, code, errs)
		}
		if got, err := os.ReadFile(file); string(got) != text || err != nil {
			t.Errorf("%v: got file %q, %v; want %q", more, got, err, text)
		}
		if got, errs, _ := invoked(t, input{}, "--from-warc", archive, server.URL+"/"); got != text || errs != "" {
			t.Errorf("%v: got %q, %s from the archive, want %q", more, got, errs, text)
		}
	}
}
