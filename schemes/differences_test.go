package schemes_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
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
			if _, err := os.Stat("promises/testdata/peers" + x[3] + ".txt"); x[2] != "TestPeers" || err != nil {
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
