//go:build unix

package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestFewDescriptors checks that a list of many hosts is fetched with the smallest number of file descriptors with which one of its documents is.
func TestFewDescriptors(t *testing.T) {
	long(t, "many commands or processes")
	const hosts = 24                      // with two descriptors for each, more than the largest limit
	content := func(path string) string { // an archive buffers it in a file
		line := path + "\n"
		return strings.Repeat(line, (520<<10)/len(line))
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, content(r.URL.Path))
	}))
	t.Cleanup(server.Close)
	at, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	var list strings.Builder
	var all []string
	for i := range hosts {
		fmt.Fprintf(&list, "http://h%d.localhost:%s/d%d\n", i, at.Port(), i)
		all = append(all, content(fmt.Sprintf("/d%d", i)))
	}
	first, _, _ := strings.Cut(list.String(), "\n")
	command := derefCommand(t)
	for name, options := range map[string][]string{
		"files":          {"-O"},
		"files, archive": {"-O", "--warc", "../a.warc", "--state", "../state"},
		"output":         {},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			// get returns the exit code, the output and the error output of the list with a limit of descriptors.
			get := func(dir, list string, limit int) (code int, out, errs string) {
				cmd := command(append([]string{"--parallel-max", "50", "--input", "-"}, options...)...)
				if err := os.Mkdir(dir, 0o700); err != nil {
					t.Fatal(err)
				}
				limited := exec.Command("sh", append([]string{"-c", fmt.Sprintf(`ulimit -n %d && exec "$0" "$@"`, limit)}, cmd.Args...)...)
				var stdout, stderr strings.Builder
				limited.Dir, limited.Env = dir, append(cmd.Env, "no_proxy=*")
				limited.Stdin, limited.Stdout, limited.Stderr = strings.NewReader(list), &stdout, &stderr
				limited.Run()
				return limited.ProcessState.ExitCode(), stdout.String(), stderr.String()
			}
			limit := 10
			for ; ; limit++ {
				code, _, errs := get(filepath.Join(t.TempDir(), "one"), first, limit)
				if code == 0 {
					break
				}
				if limit == 64 {
					t.Fatalf("one document with 64 descriptors: got exit code %d, want 0: %s", code, errs)
				}
			}
			for _, limit := range []int{limit, limit + 3, 40} {
				dir := filepath.Join(t.TempDir(), "all")
				code, out, errs := get(dir, list.String(), limit)
				if code != 0 {
					t.Errorf("%d descriptors: got exit code %d, want 0: %s", limit, code, errs)
				}
				if len(options) == 0 {
					if want := strings.Join(all, ""); out != want {
						t.Errorf("%d descriptors: got %d bytes, want the %d of the documents", limit, len(out), len(want))
					}
					continue
				}
				for i, want := range all {
					name := fmt.Sprintf("d%d", i)
					if b, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(b) != want {
						t.Errorf("%d descriptors: got %d bytes of %s and %v, want the document", limit, len(b), name, err)
					}
				}
			}
		})
	}
}
