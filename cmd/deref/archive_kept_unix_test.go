//go:build unix

package main

import (
	"bufio"
	"bytes"
	"crypto/sha512"
	"fmt"
	"io"
	"maps"
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

// A library is a server of incompressible pages at /0, /1 and so on, with an index of them at /.
type library struct {
	*httptest.Server
	pages int
	delay time.Duration

	mu      sync.Mutex
	grown   sync.Cond // answers has
	answers int
	limit   int       // if positive, requests after so many answers wait until the client is gone
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
	held := l.limit > 0 && l.answers > l.limit
	l.mu.Unlock()
	if held {
		<-r.Context().Done() // until the client is killed
		return
	}
	if l.stall != nil && r.URL.Path == "/3" {
		<-l.stall
	}
	if l.delay > 0 {
		loopback.Pause(2 * l.delay)
	}
	w.Header().Set("Etag", `"`+r.URL.Path+`"`)
	switch {
	case r.Header.Get("If-None-Match") != "":
		w.WriteHeader(http.StatusNotModified)
	case r.URL.Path == "/robots.txt":
		w.WriteHeader(http.StatusNotFound)
	case r.URL.Path == "/":
		w.Header().Set("Content-Type", "text/html")
		for i := range l.pages {
			fmt.Fprintf(w, "<a href=\"/%d\">page</a>\n", i)
		}
	default:
		io.WriteString(w, incompressible(r.URL.Path))
	}
}

// incompressible returns the page at a path.
func incompressible(path string) string {
	var b strings.Builder
	for i := range 32 {
		fmt.Fprintf(&b, "%x", sha512.Sum512([]byte(path+fmt.Sprint(i))))
	}
	return b.String()
}

// checkFiles reports the files in dir that have the name of a page, and not its contents.
func (l *library) checkFiles(t *testing.T, dir string) {
	t.Helper()
	for i := range l.pages {
		name := fmt.Sprint(i)
		if b, err := os.ReadFile(filepath.Join(dir, name)); err == nil && string(b) != incompressible("/"+name) {
			t.Errorf("got %d bytes in the file %s, want the page", len(b), name)
		}
	}
}

// list writes the URIs of all pages into a file.
func (l *library) list(t *testing.T, dir string) string {
	t.Helper()
	var b bytes.Buffer
	for i := range l.pages {
		fmt.Fprintf(&b, "%s/%d\n", l.URL, i)
	}
	name := filepath.Join(dir, "list")
	if err := os.WriteFile(name, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// commands returns two command lines that archive the library. Each can be run again to continue.
func (l *library) commands(t *testing.T, dir, archive string) map[string][]string {
	return map[string][]string{
		"list": {"-s", "-Z", "--parallel-max", "4", "-O", "--output-dir", dir, "--cdx", "--warc", archive, "--state",
			filepath.Join(dir, "state"), "--input", l.list(t, dir)},
		"mirror": {"mirror", "-s", "--cdx", "--warc", archive, l.URL + "/", filepath.Join(dir, "copy")},
	}
}

// captured returns the pages of which the archives hold complete records, and reports faults in the archives.
func (l *library) captured(t *testing.T, archives ...string) map[string]bool {
	t.Helper()
	pages := map[string]bool{}
	for _, name := range archives {
		f, err := os.Open(name)
		if err != nil {
			t.Error(err)
			continue
		}
		if tally, err := warc.Check(f, func(f warc.Fault) { t.Errorf("%s: got fault %s, want none", name, f) }); err != nil ||
			tally.Records == 0 {
			t.Errorf("%s: got %d records, %v; want some", name, tally.Records, err)
		}
		f.Seek(0, io.SeekStart)
		r := warc.NewReader(f)
		for {
			rec, err := r.Next()
			if err != nil {
				break
			}
			page, ok := strings.CutPrefix(rec.Target(), l.URL+"/")
			if ok && page != "" && page != "robots.txt" && (rec.Type() == warc.Response || rec.Type() == warc.Revisit) && rec.Status() == 200 &&
				rec.Fields.Get("WARC-Truncated") == "" {
				pages[page] = true
			}
		}
		f.Close()
		index, err := os.ReadFile(name[:strings.LastIndex(name, ".warc")] + ".cdxj")
		if err != nil {
			t.Error(err)
		}
		for in := bufio.NewScanner(bytes.NewReader(index)); in.Scan(); {
			if !strings.Contains(in.Text(), `"filename":"`+filepath.Base(name)+`"`) {
				t.Errorf("the index of %s: got line %s, want its filename", name, in.Text())
			}
		}
		for page := range pages {
			if len(archives) == 1 && !bytes.Contains(index, []byte(`"`+l.URL+"/"+page+`"`)) {
				t.Errorf("got no page %s in the index, want one", page)
			}
		}
	}
	return pages
}

func (l *library) all() map[string]bool {
	all := map[string]bool{}
	for i := range l.pages {
		all[fmt.Sprint(i)] = true
	}
	return all
}

// limited runs the command with a limit of 128 blocks for the size of files.
func limited(cmd *exec.Cmd) *exec.Cmd {
	cmd.Args = append([]string{"sh", "-c", `ulimit -f 128; exec "$0" "$@"`, cmd.Path}, cmd.Args[1:]...)
	cmd.Path = "/bin/sh"
	return cmd
}

// If the disk is full, the run stops with exit status 14 and records only archived documents as done. The same command, once there is
// space, archives all others.
func TestFullArchive(t *testing.T) {
	long(t, "many commands or processes")
	for way, form := range map[string]string{"list": "a.warc", "mirror": "a.warc.gz"} { // package warc has each form, full at any place
		t.Run(way+" "+form, func(t *testing.T) {
			dir := t.TempDir()
			l := newLibrary(t, 120, 0)
			archive := filepath.Join(dir, form)
			args := l.commands(t, dir, archive)[way]
			cmd := limited(derefCommand(t)(args...))
			out, _ := cmd.CombinedOutput()
			if code := cmd.ProcessState.ExitCode(); code != 14 ||
				way == "mirror" && !bytes.Contains(out, []byte("disk: the archive could not be written")) {
				t.Fatalf("got exit status %d, want 14: %s", code, out)
			}
			if out, err := derefCommand(t)(args...).CombinedOutput(); err != nil {
				t.Fatalf("second run: got %v, want success: %s", err, out)
			}
			if got := l.captured(t, archive); !maps.Equal(got, l.all()) {
				t.Errorf("got %d pages in the archive, want %d", len(got), l.pages)
			}
		})
	}
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

// holdAfter holds all requests after n answers; 0 holds none.
func (l *library) holdAfter(n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.limit = n
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
	if err := first.Start(); err != nil {
		t.Fatal(err)
	}
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
		args := append([]string{"-s", "--retry", "1", "--warc", archive, "-o", file, server.URL + "/"}, more...)
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
