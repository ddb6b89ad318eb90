package command

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"example.org/deref/fetch/fetchtest/loopback"
)

// An outcome is what a command line has done.
type lineOutcome struct {
	status         int
	stdout, stderr string
	files          map[string]string // new or changed ones, by name
}

// TestCmdlines runs the command lines of testdata/cmdlines in this process. With -short it runs every tenth. With DEREF_REAL=all curl and wget run all
// that deref does not refuse, too.
//
//	go test ./cmd/command -run Cmdlines -v     # prints the counts
func TestCmdlines(t *testing.T) {
	vars := startCmdlineServers(t)
	vars["DEAD"] = strings.TrimPrefix(loopback.Reserve(t), "127.0.0.1:")
	tables := map[string][]*cmdline{"curl": cmdlines(t, "curl.txt"), "wget": cmdlines(t, "wget.txt")} // before t.Chdir
	for program, table := range tables {
		path := ""
		if os.Getenv("DEREF_REAL") == "all" {
			path = knownVersion(program)
		}
		counts := map[string]int{}
		for i, c := range table {
			if testing.Short() && i%10 != 3 { // no line that waits is the fourth of ten
				continue
			}
			got := derefLine(t, vars, c.text)
			actual := c.check(t, vars, path, got)
			counts[actual]++
			if actual != c.verdict {
				t.Errorf("%s: %s\n got %s (exit %d, stdout %.300q, stderr %.300q), want %s", c.place, c.text, actual, got.status, got.stdout, got.stderr, c.verdict)
			}
			c.checkInstead(t, vars)
		}
		for _, word := range slices.Sorted(maps.Keys(counts)) {
			t.Logf("%s: %d %s", program, counts[word], word)
		}
	}
}

// knownVersion returns the path of a program if it is the one that the table was written with: other versions print other texts, and have
// other flags. Otherwise only deref runs.
func knownVersion(program string) string {
	known := map[string]string{"curl": "curl 7.88.", "wget": "GNU Wget 1.21."}
	out, err := exec.Command(program, "--version").Output()
	if err != nil || !strings.HasPrefix(string(out), known[program]) {
		return ""
	}
	path, _ := exec.LookPath(program)
	return path
}

// check returns the actual verdict.
func (c *cmdline) check(t *testing.T, vars map[string]string, program string, got lineOutcome) string {
	t.Helper()
	if got.status >= 2 && got.status <= 4 { // usage, refused, unsupported
		if c.refused && (program == "" || otherLine(t, vars, program, c.text).status != 0) {
			return "same"
		}
		return c.refusal(got, vars)
	}
	switch {
	case c.shows != "" && !regexp.MustCompile(c.shows).MatchString(got.stdout), c.reference != "" && c.reference+"\n" != got.stdout:
		return "different"
	case program == "" || c.reference != "":
		return c.verdict // nothing to compare with
	}
	want := otherLine(t, vars, program, c.text)
	if c.shows != "" {
		if !regexp.MustCompile(c.shows).MatchString(want.stdout) {
			t.Errorf("%s: %s: got %q from %s, want it to match %s", c.place, c.text, want.stdout, program, c.shows)
		}
		got.stdout, want.stdout = "", ""
	}
	if c.files != "" {
		others := func(name, _ string) bool { return !slices.Contains(strings.Fields(c.files), name) }
		maps.DeleteFunc(got.files, others)
		maps.DeleteFunc(want.files, others)
	}
	if got.stdout == want.stdout && maps.Equal(got.files, want.files) && (c.anyStatus || (got.status == 0) == (want.status == 0)) {
		return "same"
	}
	if c.verdict == "same" {
		t.Logf("%s: %s: %s exits with %d, prints %.300q %.300q and writes %.300q", c.place, c.text, program, want.status, want.stdout, want.stderr, fmt.Sprint(want.files))
		t.Logf("deref exits with %d, prints %.300q %.300q and writes %.300q", got.status, got.stdout, got.stderr, fmt.Sprint(got.files))
	}
	return "different"
}

// refusal returns the verdict for a command line that deref refuses.
func (c *cmdline) refusal(got lineOutcome, vars map[string]string) string {
	_, hint, ok := strings.Cut(got.stderr, "\nderef: hint: ")
	switch {
	case !ok:
		return "refused without advice"
	case c.verdict == "refused" && !strings.Contains(hint, expanded(c.advice, vars)):
		return "refused with other advice"
	}
	return "refused"
}

func expanded(text string, vars map[string]string) string {
	return os.Expand(text, func(name string) string { return vars[name] })
}

// checkInstead runs the command line that the advice suggests.
func (c *cmdline) checkInstead(t *testing.T, vars map[string]string) {
	t.Helper()
	if c.instead == "" {
		return
	}
	if got := derefLine(t, vars, c.instead); got.status != 0 {
		t.Errorf("%s: %s: got exit %d, %s, want 0", c.place, c.instead, got.status, got.stderr)
	}
}

// derefLine runs a command line in this process.
func derefLine(t *testing.T, vars map[string]string, line string) lineOutcome {
	t.Helper()
	vars = cmdlineDir(t, vars, line)
	dir := vars["DIR"]
	t.Chdir(dir)
	var streams [3]*os.File
	for i, name := range []string{os.DevNull, "../stdout", "../stderr"} {
		f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		streams[i] = f
	}
	getenv := func(name string) string { return map[string]string{"HOME": dir, "PATH": os.Getenv("PATH")}[name] }
	before := contents(t, dir)
	args := words(line, vars)[1:]
	status := Main(t.Context(), args, Environment{Stdin: streams[0], Stdout: streams[1], Stderr: streams[2], Getenv: getenv})
	return finished(t, dir, before, status)
}

// otherLine runs a command line with the program for which it was written.
func otherLine(t *testing.T, vars map[string]string, program, line string) lineOutcome {
	t.Helper()
	vars = cmdlineDir(t, vars, line)
	dir := vars["DIR"]
	stdout, err := os.Create(dir + "/../stdout")
	if err != nil {
		t.Fatal(err)
	}
	stderr, err := os.Create(dir + "/../stderr")
	if err != nil {
		t.Fatal(err)
	}
	defer stdout.Close()
	defer stderr.Close()
	before := contents(t, dir)
	run := exec.Command(program, words(line, vars)[1:]...)
	run.Dir, run.Stdout, run.Stderr, run.Env = dir, stdout, stderr, []string{"HOME=" + dir, "PATH=" + os.Getenv("PATH")}
	run.Run()
	return finished(t, dir, before, run.ProcessState.ExitCode())
}

// cmdlineDir makes a directory with the files that a command line names, and .netrc, and returns the variables with it.
func cmdlineDir(t *testing.T, vars map[string]string, line string) map[string]string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "work")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	vars = maps.Clone(vars)
	vars["DIR"] = dir
	login := "machine 127.0.0.1 login alice password secret\n"
	for name, text := range map[string]string{"urls.txt": vars["WEB"] + "/page/1\n" + vars["WEB"] + "/page/2\n", "header.txt": "X-From-File: yes\n",
		"cookies.txt": "127.0.0.1\tFALSE\t/\tFALSE\t0\tsaved\tyes\n", "netrc": login, ".netrc": login, "old.txt": "old\n", "body.txt": "a body\n",
		"format.txt": "%{http_code} from a file\n", "ca.pem": vars["CA"], "client.pem": vars["CLIENT"], "curlrc": "silent\n"} {
		if name != ".netrc" && !strings.Contains(line, name) {
			continue
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chtimes(filepath.Join(dir, "old.txt"), time.Time{}, time.Unix(784111777-3600, 0)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return vars
}

// contents returns the files of a directory by name.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		files[strings.TrimPrefix(path, dir+"/")] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// finished returns the outcome.
func finished(t *testing.T, dir string, before map[string]string, status int) lineOutcome {
	t.Helper()
	o := lineOutcome{status: status, files: contents(t, dir)}
	maps.DeleteFunc(o.files, func(name, text string) bool { old, ok := before[name]; return ok && old == text })
	for name, to := range map[string]*string{"stdout": &o.stdout, "stderr": &o.stderr} {
		text, err := os.ReadFile(filepath.Join(dir, "..", name))
		if err != nil {
			t.Fatal(err)
		}
		*to = string(text)
	}
	return o
}
