package uri_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestCitedDecisions: each number that a comment of the module cites is a row of DECISIONS.md.
func TestCitedDecisions(t *testing.T) {
	table, err := os.ReadFile("DECISIONS.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^\| (D\d+) \|`).FindAllSubmatch(table, -1) {
		if rows[string(m[1])] {
			t.Errorf("%s has two rows, want one", m[1])
		}
		rows[string(m[1])] = true
	}
	cited := regexp.MustCompile(`\bD\d{1,2}\b`)
	found := 0
	err = filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() && strings.HasPrefix(d.Name(), ".git") {
			return err
		}
		if d.IsDir() || filepath.Ext(path) != ".go" {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil || !cited.Match(text) {
			return err
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, path, text, parser.ParseComments)
		if err != nil {
			return err
		}
		for _, group := range file.Comments {
			for _, number := range cited.FindAllString(group.Text(), -1) {
				if found++; !rows[number] {
					t.Errorf("%s cites %s, which is not a row of DECISIONS.md", set.Position(group.Pos()), number)
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != 21 || found < 30 {
		t.Errorf("got %d rows and %d citations, want 21 and at least 30", len(rows), found)
	}
}
