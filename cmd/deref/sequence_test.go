package main

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// lastFirst starts a server that answers the first of n requests only after all others, so that a client that requests one document after
// the other waits forever.
func lastFirst(t *testing.T, n int, first string, document func(path string) (status int, body []byte)) *httptest.Server {
	var others sync.WaitGroup
	others.Add(n - 1)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		status, body := document(r.URL.Path)
		if r.URL.Path == first {
			done := make(chan struct{})
			go func() {
				others.Wait()
				close(done)
			}()
			select {
			case <-done:
			case <-r.Context().Done():
				return
			}
		}
		w.Header().Set("Content-Length", fmt.Sprint(len(body)))
		w.WriteHeader(status)
		w.Write(body)
		if r.URL.Path != first {
			w.(http.Flusher).Flush()
			others.Done()
		}
	}))
	t.Cleanup(server.Close)
	return server
}

// TestSequence checks that documents for standard output are fetched several at a time and printed in the order of the list, with their
// metadata, objects and errors, also if they exceed the buffers.
func TestSequence(t *testing.T) {
	t.Parallel()
	command := derefCommand(t)
	sizes := map[string]int{"/0": 10, "/1": 100, "/2": 0, "/4": 100 << 10, "/5": 4 << 20} // the last one exceeds the memory buffer
	var paths []string
	for i := range 6 {
		paths = append(paths, fmt.Sprint("/", i))
	}
	document := func(path string) (int, []byte) {
		if path == "/3" {
			return http.StatusNotFound, nil
		}
		return http.StatusOK, append(bytes.Repeat([]byte(path[1:]), sizes[path]), '\n')
	}
	var whole string
	for _, p := range paths {
		if status, body := document(p); status == http.StatusOK {
			whole += string(body)
		}
	}
	for _, test := range []struct {
		name string
		args []string
		want func(stdout, url string) string // returns the difference, or ""
	}{
		{"documents", nil, func(stdout, _ string) string {
			if stdout != whole {
				return fmt.Sprintf("%d bytes, want %d in order", len(stdout), len(whole))
			}
			return ""
		}},
		{"metadata before them", []string{"-i"}, func(stdout, url string) string {
			at := 0
			for _, p := range paths { // a refusal has metadata, too
				_, body := document(p)
				i := strings.Index(stdout[at:], "URI: "+url+p+"\n")
				if i != 0 {
					return fmt.Sprintf("the metadata of %s is %d bytes after the preceding document, want 0", p, i)
				}
				end := strings.Index(stdout[at:], "\n\n"+string(body))
				if end < 0 {
					return fmt.Sprintf("no document %s after its metadata, want one", p)
				}
				at += end + 2 + len(body)
			}
			return ""
		}},
		{"what -w prints", []string{"-w", `%{url} %{exitcode}\n`}, func(stdout, url string) string {
			want := ""
			for _, p := range paths {
				if status, body := document(p); status == http.StatusOK {
					want += string(body) + url + p + " 0\n"
				} else {
					want += url + p + " 7\n"
				}
			}
			if stdout != want {
				return fmt.Sprintf("%d bytes, want %d", len(stdout), len(want))
			}
			return ""
		}},
		{"objects", []string{"--json"}, func(stdout, url string) string {
			var got []string
			for line := range strings.Lines(stdout) {
				_, u, _ := strings.Cut(line, `"uri":"`)
				u, _, _ = strings.Cut(u, `"`)
				got = append(got, strings.TrimPrefix(u, url))
			}
			if !slices.Equal(got, paths) {
				return fmt.Sprintf("objects about %q, want %q", got, paths)
			}
			return ""
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			server := lastFirst(t, len(paths), "/0", document)
			list := ""
			for _, p := range paths {
				list += server.URL + p + "\n"
			}
			cmd := command(append(test.args, "--input", "-")...)
			cmd.Stdin = strings.NewReader(list)
			temporary := t.TempDir()
			cmd.Env = append(cmd.Env, "no_proxy=*", "TMPDIR="+temporary, "TMP="+temporary)
			var stdout, stderr strings.Builder
			cmd.Stdout, cmd.Stderr = &stdout, &stderr
			cmd.Run()
			if code := cmd.ProcessState.ExitCode(); code != 7 || strings.Count(stderr.String(), "deref: notfound: ") != 1 {
				t.Errorf("exit code %d, want 7: %s", code, stderr.String())
			}
			if bad := test.want(stdout.String(), server.URL); bad != "" {
				t.Errorf("standard output: got %s", bad)
			}
			if left, err := os.ReadDir(temporary); err != nil || len(left) > 0 {
				t.Errorf("got temporary files %v, %v; want none", left, err)
			}
		})
	}
}

// TestNamedLinesAreParallel checks that lines that name a file do not wait for each other.
func TestNamedLinesAreParallel(t *testing.T) {
	server := lastFirst(t, 4, "/0", func(path string) (int, []byte) { return http.StatusOK, []byte(path) })
	list := ""
	for i := range 4 {
		list += fmt.Sprintf("%s/%d name=f%d\n", server.URL, i, i)
	}
	dir := t.TempDir()
	if _, errs, code := invoked(t, input{stdin: list, env: []string{"no_proxy=*"}}, "-s", "--output-dir", dir, "--input", "-"); code != 0 {
		t.Errorf("got exit status %d, want success: %s", code, errs)
	}
	for i := range 4 {
		if got, err := os.ReadFile(filepath.Join(dir, fmt.Sprint("f", i))); string(got) != fmt.Sprint("/", i) {
			t.Errorf("f%d: got %q, %v; want %q", i, got, err, fmt.Sprint("/", i))
		}
	}
}
