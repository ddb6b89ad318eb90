package schemes_test

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"strings"
	"testing"

	"example.org/deref/schemes"
)

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
