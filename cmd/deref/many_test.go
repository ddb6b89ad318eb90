package main

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// derefCommand is this test binary under the name by which testscript.Main knows it for deref.
func derefCommand(t *testing.T) func(args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "deref")
	if err := os.Symlink(self, path); err != nil {
		t.Skip(err)
	}
	return func(args ...string) *exec.Cmd {
		cmd := exec.Command(path, args...)
		cmd.Env = append(os.Environ(), "HOME="+dir)
		return cmd
	}
}

// TestRetriesAgainstAServer: how often is asked, for which part, and what comes of it, for files and for standard output.
func TestRetriesAgainstAServer(t *testing.T) {
	data := bytes.Repeat([]byte("0123456789abcdef"), 1<<15)
	command := derefCommand(t)
	for _, test := range []struct {
		name    string
		retries string
		tag     string
		turns   []string // what the server does, request by request
		ranges  []string // what it is asked for
		code    int
	}{
		{"503, then well", "2", `"v1"`, []string{"503"}, []string{"", ""}, 0},
		{"503, once too often", "1", `"v1"`, []string{"503", "503"}, []string{"", ""}, 15},
		{"no retries", "0", `"v1"`, []string{"503"}, []string{""}, 15},
		{"404 is final", "3", `"v1"`, []string{"404"}, []string{""}, 7},
		{"cut, and continued", "2", `"v1"`, []string{"cut"}, []string{"", "bytes=300000-"}, 0},
		{"hung up on", "2", `"v1"`, []string{"hang up"}, []string{"", ""}, 0},
	} {
		for _, to := range []string{"file", "stdout", "list"} {
			t.Run(test.name+" "+to, func(t *testing.T) {
				t.Parallel()
				var mu sync.Mutex
				var ranges []string
				server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					mu.Lock()
					turn := ""
					if n := len(ranges); n < len(test.turns) {
						turn = test.turns[n]
					}
					ranges = append(ranges, r.Header.Get("Range"))
					mu.Unlock()
					w.Header().Set("ETag", test.tag)
					switch turn {
					case "503", "404":
						http.Error(w, turn, map[string]int{"503": 503, "404": 404}[turn])
					case "cut":
						w.Header().Set("Content-Length", fmt.Sprint(len(data)))
						w.Write(data[:300_000])
						panic(http.ErrAbortHandler)
					case "hang up":
						panic(http.ErrAbortHandler)
					default:
						http.ServeContent(w, r, "x.bin", time.Time{}, bytes.NewReader(data))
					}
				}))
				defer server.Close()
				dir := t.TempDir()
				args := []string{"-s", "--retry", test.retries, server.URL + "/x.bin"}
				switch to {
				case "file":
					args = append(args, "-o", filepath.Join(dir, "x.bin"))
				case "list":
					args = append(args, "-Z", "-O", "--output-dir", dir)
				}
				cmd := command(args...)
				got, _ := cmd.Output()
				if code := cmd.ProcessState.ExitCode(); code != test.code {
					t.Errorf("exit code %d, want %d", code, test.code)
				}
				if to != "stdout" {
					got, _ = os.ReadFile(filepath.Join(dir, "x.bin"))
				}
				if whole := bytes.Equal(got, data); whole != (test.code == 0) {
					t.Errorf("%d octets", len(got))
				}
				if !slices.Equal(ranges, test.ranges) {
					t.Errorf("asked for %q, want %q", ranges, test.ranges)
				}
			})
		}
	}
}

// TestListOutlivesSIGKILL: the same command again does the rest, whatever it was killed in, and every file is whole at any time.
func TestListOutlivesSIGKILL(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no signals")
	}
	const documents = 400
	content := func(name string) []byte { return bytes.Repeat([]byte(name), 5000) }
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b := content(r.URL.Path[1:])
		w.Header().Set("Content-Length", fmt.Sprint(len(b)))
		w.Write(b[:len(b)/2])
		w.(http.Flusher).Flush()
		time.Sleep(5 * time.Millisecond)
		w.Write(b[len(b)/2:])
	}))
	defer server.Close()
	dir, state := t.TempDir(), filepath.Join(t.TempDir(), "state")
	list := filepath.Join(filepath.Dir(state), "list")
	var b strings.Builder
	for i := range documents {
		fmt.Fprintf(&b, "%s/d%04d.bin\n", server.URL, i)
	}
	if err := os.WriteFile(list, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	whole := func() (n int) {
		names, _ := os.ReadDir(dir)
		for _, f := range names {
			if strings.HasPrefix(f.Name(), ".deref-") || strings.Contains(f.Name(), ".part") {
				continue
			}
			if got, _ := os.ReadFile(filepath.Join(dir, f.Name())); !bytes.Equal(got, content(f.Name())) {
				t.Errorf("%s has %d octets that are not its own", f.Name(), len(got))
			}
			n++
		}
		return n
	}
	command := derefCommand(t)
	kills := 0
	for ; kills < 100; kills++ {
		cmd := command("-O", "--output-dir", dir, "--state", state, "--input", list)
		var out strings.Builder
		cmd.Stderr = &out
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		kill := time.AfterFunc(time.Duration(100+7*kills)*time.Millisecond, func() { cmd.Process.Kill() })
		err := cmd.Wait()
		kill.Stop()
		n := whole()
		if err == nil {
			if n != documents {
				t.Errorf("%d files of %d: %s", n, documents, out.String())
			}
			break
		}
		if cmd.ProcessState.ExitCode() >= 0 {
			t.Fatalf("not killed, but %v: %s", err, out.String())
		}
	}
	if kills < 2 {
		t.Errorf("%d kills: this shows nothing", kills)
	}
}
