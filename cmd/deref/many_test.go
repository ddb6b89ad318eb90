package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"example.org/deref/fetch/fetchtest/loopback"
)

// derefCommand returns a function that runs this test binary as deref.
func derefCommand(t testing.TB) func(args ...string) *exec.Cmd {
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

// start starts a command, which is killed at the end of the test if it has not ended.
func start(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill() })
}

// TestRetriesAgainstAServer checks the number of requests, their ranges and the result, for files and for standard output.
func TestRetriesAgainstAServer(t *testing.T) {
	t.Parallel()
	data := bytes.Repeat([]byte("0123456789abcdef"), 1<<15)
	for _, test := range []struct {
		name    string
		retries string
		tag     string
		turns   []string // the server's behavior for each request
		ranges  []string // the ranges that the client requests
		code    int
	}{
		{"503, then well", "2", `"v1"`, []string{"503"}, []string{"", ""}, 0},
		{"503, once too often", "1", `"v1"`, []string{"503", "503"}, []string{"", ""}, 15},
		{"no retries", "0", `"v1"`, []string{"503"}, []string{""}, 15},
		{"404 is final", "3", `"v1"`, []string{"404"}, []string{""}, 7},
		{"cut, and continued", "2", `"v1"`, []string{"cut"}, []string{"", "bytes=300000-"}, 0},
		{"hung up on", "2", `"v1"`, []string{"hang up"}, []string{"", ""}, 0},
	} {
		for _, to := range []string{"file", "stdout", "list", "list to stdout"} {
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
				args := []string{"-s", "--retry", test.retries, "--retry-delay", "0", server.URL + "/x.bin"}
				switch to {
				case "file":
					args = append(args, "-o", filepath.Join(dir, "x.bin"))
				case "list":
					args = append(args, "-Z", "-O", "--output-dir", dir)
				case "list to stdout":
					args = append(args, "-Z")
				}
				got, _, code := invoked(t, input{}, args...)
				if code != test.code {
					t.Errorf("exit code %d, want %d", code, test.code)
				}
				if !strings.HasSuffix(to, "stdout") {
					b, _ := os.ReadFile(filepath.Join(dir, "x.bin"))
					got = string(b)
				}
				if whole := got == string(data); whole != (test.code == 0) {
					t.Errorf("got %d bytes, want the %d of the document: %v", len(got), len(data), test.code == 0)
				}
				if !slices.Equal(ranges, test.ranges) {
					t.Errorf("got requests for %q, want %q", ranges, test.ranges)
				}
			})
		}
	}
}

// TestReportOfATruncatedFile: with -Z, the line of a document that broke off has the same fields as without.
func TestReportOfATruncatedFile(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/x-cut")
		w.Header().Set("Content-Length", "1000")
		w.Write(make([]byte, 300))
		w.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	}))
	defer server.Close()
	report := func(more ...string) map[string]any {
		dir := t.TempDir()
		out, _, _ := invoked(t, input{}, append([]string{"-s", "-O", "--json", "--retry", "0", "--output-dir", dir, server.URL + "/x"}, more...)...)
		line := map[string]any{}
		if err := json.Unmarshal([]byte(strings.ReplaceAll(out, dir, "")), &line); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		for _, varies := range []string{"time", "times", "local", "header"} {
			delete(line, varies)
		}
		return line
	}
	one, many := report(), report("-Z")
	if one["type"] != "text/x-cut" || !reflect.DeepEqual(one, many) {
		t.Errorf("got %v with -Z, want %v", many, one)
	}
}

// TestUnreachableServerInList checks that a server that cannot be reached has one line on standard error. --json, the summary and the exit
// status still count every URI, and another server has its own line.
func TestUnreachableServerInList(t *testing.T) {
	var dead []string
	for range 2 {
		dead = append(dead, loopback.Reserve(t))
	}
	list := ""
	for i := range 10 { // from the sixth on, no request is made, and the text differs
		list += fmt.Sprintf("http://%s/%d\nhttp://nosuch.invalid/%d\nftp://%s/%d\n", dead[0], i, i, dead[1], i)
	}
	stdout, stderr, code := invoked(t, input{stdin: list, env: []string{"no_proxy=*"}}, "--json", "--input", "-")
	lines := map[string]int{}
	for line := range strings.Lines(stderr) {
		for _, kind := range []string{"connect", "dns"} {
			if strings.HasPrefix(line, "deref: "+kind+": ") {
				lines[kind]++
			}
		}
	}
	if objects := strings.Count(stdout, "\n"); code == 0 || lines["connect"] != 2 || lines["dns"] != 1 || objects != 30 || !strings.Contains(stderr, "30 failed") {
		t.Errorf("exit status %d; %d lines for connect, want 2, %d for dns, want 1; %d objects, want 30\n%s", code, lines["connect"], lines["dns"], objects, stderr)
	}
}

// TestResumeSaysWhatIsReplaced checks that -C with -o replaces a file that is not the beginning of the document, and reports it. With -O it does
// the same where nothing is lost, and otherwise reports what to do.
func TestResumeSaysWhatIsReplaced(t *testing.T) {
	t.Parallel()
	doc := strings.Repeat("0123456789", 100)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/whole") {
			w.Write([]byte(doc))
			return
		}
		http.ServeContent(w, r, "doc", time.Time{}, strings.NewReader(doc))
	}))
	t.Cleanup(server.Close)
	for _, tt := range []struct {
		name, old, path string
		args            []string
		told            bool
	}{
		{"-C N, another file", strings.Repeat("x", 300), "/", []string{"-C", "100"}, true},
		{"-C -, another file", strings.Repeat("x", 300), "/", []string{"-C", "-"}, true},
		{"-C N, in a list", strings.Repeat("x", 300), "/", []string{"-C", "100", "-Z"}, true},
		{"a server without ranges", strings.Repeat("x", 300), "/whole", []string{"-C", "100"}, true},
		{"a server without ranges, the beginning", doc[:300], "/whole", []string{"-C", "100"}, false},
		{"-s", strings.Repeat("x", 300), "/", []string{"-C", "100", "-s"}, false},
		{"-C N, the beginning", doc[:300], "/", []string{"-C", "100"}, false},
		{"-C -, the beginning", doc[:300], "/", []string{"-C", "-"}, false},
		{"-C -, all of it", doc, "/", []string{"-C", "-"}, false},
		{"-C -, nothing", "", "/", []string{"-C", "-"}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			name := write(t, filepath.Join(t.TempDir(), "F"), tt.old)
			_, out, code := invoked(t, input{}, append(tt.args, "-o", name, server.URL+tt.path)...)
			got, err := os.ReadFile(name)
			if code != 0 || err != nil || string(got) != doc {
				t.Errorf("exit code %d, %v: %d bytes, want %d\n%s", code, err, len(got), len(doc), out)
			}
			if told := strings.Contains(out, "could not be continued; it was replaced by the whole document\n"); told != tt.told {
				t.Errorf("got a warning: %v, want %v\n%s", told, tt.told, out)
			}
			lost := !strings.HasPrefix(doc, tt.old)
			if lost && tt.args[1] != "-" {
				return // -C N means the first N bytes
			}
			name = write(t, filepath.Join(t.TempDir(), strings.TrimPrefix(tt.path, "/")+"F"), tt.old)
			_, out, code = invoked(t, input{}, append(tt.args, "-O", "--output-dir", filepath.Dir(name), server.URL+tt.path+"F")...)
			got, err = os.ReadFile(name)
			want, wantCode := doc, 0
			if lost {
				want, wantCode = tt.old, 14
			}
			told := strings.Contains(out, "F is not the beginning of the document\nderef: hint: --force replaces it\n")
			if code != wantCode || err != nil || string(got) != want || told != lost {
				t.Errorf("-O: exit code %d, %v: %d bytes, want %d and %d\n%s", code, err, len(got), wantCode, len(want), out)
			}
		})
	}
}
