package schemes_test

import (
	"bytes"
	"fmt"
	"os"
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

// TestReadmeListsTheSchemes: the table is what `deref schemes` prints.
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
