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

// The module of a third party builds and passes its own tests, also those of its command, which has a handler in Go.
func TestEmbedding(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds a module")
	}
	dir := filepath.Join("..", "..", "testdata", "embed")
	out := goTool(t, dir, "test", "-v", "./...")
	if want := "--- PASS: TestScheme"; !strings.Contains(out, want) {
		t.Errorf("got the output\n%s\nwant a line with %q", out, want)
	}
}

// The template for a scheme in a module of its own passes its tests. Its packages cannot import internal packages, and it may be copied to
// anywhere, because its code names no file outside of it.
func TestThirdPartyModule(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds a module")
	}
	dir := filepath.Join("..", "..", "testdata", "thirdparty")
	out := goTool(t, dir, "test", "-v", "./...")
	for _, want := range []string{"--- PASS: TestConformance/document/cut", "--- PASS: TestPlans", "--- PASS: TestServer",
		"--- PASS: FuzzMemo", "--- PASS: Example"} {
		if !strings.Contains(out, want) {
			t.Errorf("got the output\n%s\nwant a line with %q", out, want)
		}
	}
	code, err := filepath.Glob(filepath.Join(dir, "*", "*.go"))
	top, _ := filepath.Glob(filepath.Join(dir, "*.go"))
	for _, name := range append(code, top...) {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(b, []byte(`"..`)) || bytes.Contains(b, []byte("../")) {
			t.Errorf("%s names a file outside of the module", name)
		}
	}
	if err != nil || len(code) == 0 || len(top) == 0 {
		t.Errorf("got the files %q and %q, and %v; want some of both", code, top, err)
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
	list := goTool(t, "../..", "list", "-f", `{{.ImportPath}} {{join .Deps " "}}`, "./schemes/gopher", "./fetch", "./fetch/dialogue")
	for line := range strings.Lines(list) {
		deps := strings.Fields(line)
		pkg := deps[0]
		for _, forbidden := range []string{"net/http", "testing", "flag"} {
			if slices.Contains(deps, forbidden) {
				t.Errorf("%s links %s", pkg, forbidden)
			}
		}
		for _, d := range deps {
			first, _, _ := strings.Cut(d, "/")
			ours := strings.HasPrefix(d, "example.org/deref/") || strings.HasPrefix(d, "golang.org/x/net/idna") ||
				strings.HasPrefix(d, "golang.org/x/text/") ||
				strings.HasPrefix(d, "golang.org/x/net/html") // attributes, for the encodings that pages declare
			if strings.Contains(first, ".") && !ours {
				t.Errorf("%s links %s", pkg, d)
			}
			if strings.HasPrefix(d, "example.org/deref/schemes/") && !strings.HasPrefix(d, "example.org/deref/schemes/internal/") && d != pkg {
				t.Errorf("%s links the scheme %s", pkg, d)
			}
		}
	}
}
