package fetchtest_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// goTool runs the go command in dir.
func goTool(t *testing.T, dir string, args ...string) string {
	t.Helper()
	tool, err := exec.LookPath("go")
	if err != nil {
		t.Skip("no go command")
	}
	cmd := exec.CommandContext(t.Context(), tool, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=readonly")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go %s: %v\n%s%s", strings.Join(args, " "), err, out, stderr.Bytes())
	}
	return string(out)
}

// The module of a third party builds and passes its own tests.
func TestEmbedding(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds a module")
	}
	dir := filepath.Join("..", "..", "testdata", "embed")
	goTool(t, dir, "vet", "./...")
	goTool(t, dir, "test", "./...")
}

// The command of a third party, with a handler in Go, knows its scheme.
func TestEmbeddedCommand(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds a program")
	}
	dir := filepath.Join("..", "..", "testdata", "embed")
	program := filepath.Join(t.TempDir(), "deref.exe")
	goTool(t, dir, "build", "-o", program, "./deref")
	for _, tt := range []struct {
		args []string
		want string
		code int
	}{
		{[]string{"x-gunzip:data:,x"}, "deref: redirect: x-gunzip refers to data:,x, which is not followed by default\n", 10},
		{[]string{"--follow-to", "data", "x-gunzip:data:;base64,H4sIAAAAAAAAA8tIzcnJ5wIAIDA6NgYAAAA="}, "hello\n", 0},
		{[]string{"explain", "x-gunzip:gopher://h/0a"}, "  get gopher://h/0a\n    server h:70 (tcp)\n      a\n", 0},
		{[]string{"schemes"}, "x-gunzip     retrieves               another object, decompressed\n", 0},
		{[]string{"help", "x-gunzip"}, "x-gunzip: another object, decompressed\n", 0},
		{[]string{"complete-word", "--", "x-gun"}, "x-gunzip:\n", 0},
	} {
		cmd := exec.CommandContext(t.Context(), program, tt.args...)
		cmd.Env = append(os.Environ(), "HOME="+t.TempDir(), "XDG_CONFIG_HOME=")
		out, _ := cmd.CombinedOutput()
		if code := cmd.ProcessState.ExitCode(); code != tt.code || !strings.Contains(string(out), tt.want) {
			t.Errorf("%q: got %q and the exit code %d, want %q and %d", tt.args, out, code, tt.want, tt.code)
		}
	}
}

// The template for a scheme in a module of its own passes its tests outside of this repository, where internal packages cannot be imported.
func TestThirdPartyModule(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds a module")
	}
	top, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join(top, "testdata", "thirdparty"))); err != nil {
		t.Fatal(err)
	}
	goTool(t, dir, "mod", "edit", "-replace=example.org/deref="+top)
	goTool(t, dir, "vet", "./...")
	out := goTool(t, dir, "test", "-v", "./...")
	for _, want := range []string{"--- PASS: TestConformance/document/cut", "--- PASS: TestPlans", "--- PASS: TestServer",
		"--- PASS: FuzzMemo", "--- PASS: Example"} {
		if !strings.Contains(out, want) {
			t.Errorf("got the output\n%s\nwant a line with %q", out, want)
		}
	}
}

// A scheme of a third party is short.
func TestEmbeddedSchemeIsShort(t *testing.T) {
	b, err := os.ReadFile(filepath.Join("..", "..", "testdata", "embed", "xexample", "xexample.go"))
	if err != nil {
		t.Fatal(err)
	}
	code := 0
	for line := range strings.Lines(string(b)) {
		if s := strings.TrimSpace(line); s != "" && !strings.HasPrefix(s, "//") {
			code++
		}
	}
	if code >= 40 {
		t.Errorf("the scheme has %d lines of code, want fewer than 40", code)
	}
}

// A program with one scheme does not link the others: no net/http, no library of another protocol, and no testing package.
// Package log is linked because log/slog imports it, of which uri implements an interface.
func TestLinkingOneScheme(t *testing.T) {
	for _, pkg := range []string{"example.org/deref/schemes/gopher", "example.org/deref/fetch", "example.org/deref/fetch/dialogue"} {
		deps := strings.Fields(goTool(t, filepath.Join("..", ".."), "list", "-deps", pkg))
		for _, forbidden := range []string{"net/http", "testing", "flag"} {
			if slices.Contains(deps, forbidden) {
				t.Errorf("%s links %s", pkg, forbidden)
			}
		}
		for _, d := range deps {
			first, _, _ := strings.Cut(d, "/")
			ours := strings.HasPrefix(d, "example.org/deref/") || strings.HasPrefix(d, "golang.org/x/net/idna") ||
				strings.HasPrefix(d, "golang.org/x/text/") ||
				strings.HasPrefix(d, "golang.org/x/net/html") || // attributes, for the encodings that pages declare
				d == "golang.org/x/net/dns/dnsmessage" // the TTLs of names
			if strings.Contains(first, ".") && !ours {
				t.Errorf("%s links %s", pkg, d)
			}
			if strings.HasPrefix(d, "example.org/deref/schemes/") && !strings.HasPrefix(d, "example.org/deref/schemes/internal/") && d != pkg {
				t.Errorf("%s links the scheme %s", pkg, d)
			}
		}
	}
}
