package schemes_test

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"example.org/deref/schemes"
)

// TestDifferencesNameTheirTests: each row of DIFFERENCES.md names tests, and they exist.
func TestDifferencesNameTheirTests(t *testing.T) {
	text, err := os.ReadFile("DIFFERENCES.md")
	if err != nil {
		t.Fatal(err)
	}
	name := regexp.MustCompile("`([a-z/]+): (Test[A-Za-z0-9]+)(/[a-z0-9/-]+)?`")
	rows := 0
	for line := range strings.Lines(string(text)) {
		if !strings.HasPrefix(line, "| ") || strings.HasPrefix(line, "| case |") {
			continue
		}
		rows++
		tests := name.FindAllStringSubmatch(line, -1)
		if len(tests) == 0 {
			t.Errorf("the row names no test: %s", line)
		}
		for _, x := range tests {
			if !hasTest(t, x[1], x[2]) {
				t.Errorf("%s has no %s: %s", x[1], x[2], line)
			}
			if x[3] == "" {
				continue
			}
			if _, err := os.Stat("testdata/peers" + x[3] + ".txt"); x[2] != "TestPeers" || err != nil {
				t.Errorf("%s%s is not a dialogue: %s", x[2], x[3], line)
			}
		}
	}
	if rows < 20 {
		t.Errorf("got %d rows, want at least 20", rows)
	}
}

// hasTest reports whether a directory of the module has a test of that name.
func hasTest(t *testing.T, dir, name string) bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", filepath.FromSlash(dir), "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), "\nfunc "+name+"(t *testing.T)") {
			return true
		}
	}
	return false
}

// schemeRows returns the rows of the table of schemes in README.md.
func schemeRows() (rows []string) {
	for _, s := range schemes.All(nil) {
		does := strings.Join(s.Does.Words(), ", ")
		if does == "" {
			does = "explained only"
		}
		rows = append(rows, fmt.Sprintf("| %s | %s | %s | %s |", strings.Join(s.Names, ", "), does, s.Summary, s.Spec))
	}
	return rows
}

// TestReadmeListsTheSchemes checks that the table is the output of `deref schemes`.
func TestReadmeListsTheSchemes(t *testing.T) {
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range schemeRows() {
		if !bytes.Contains(text, []byte(row)) {
			t.Errorf("README.md lacks the row\n%s", row)
		}
	}
}

// TestReadmeQuotesTheSource: every Go block of README.md is verbatim in a file of schemes, or of the module testdata/embed.
func TestReadmeQuotesTheSource(t *testing.T) {
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	var source []byte
	for _, dir := range []string{".", "../testdata/embed"} {
		root := os.DirFS(dir)
		err := fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(name, ".go") {
				return err
			}
			b, err := fs.ReadFile(root, name)
			source = append(source, b...)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	blocks := regexp.MustCompile("(?ms)^```go\n(.*?)^```").FindAllSubmatch(text, -1)
	for _, b := range blocks {
		if !bytes.Contains(source, b[1]) {
			t.Errorf("README.md quotes code that is not in schemes or testdata/embed:\n%s", b[1])
		}
	}
	if len(blocks) < 5 {
		t.Errorf("got %d Go blocks in README.md, want 5 or more", len(blocks))
	}
}

// TestReadmeCountsTheSchemes: the first paragraph of the project's README names ten schemes, and the number of the others.
func TestReadmeCountsTheSchemes(t *testing.T) {
	text, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	names := 0
	for _, s := range schemes.All(nil) {
		names += len(s.Names)
	}
	if want := fmt.Sprintf("tn3270 and %d more.", names-10); !strings.Contains(string(text), want) {
		t.Errorf("README.md: got no %q, want it", want)
	}
}
