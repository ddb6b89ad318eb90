package command

import (
	"flag"
	"os"
	"path/filepath"
	"testing"
)

var update = flag.Bool("update", false, "write cmd/command/man or licenses.txt again")

// TestManPages checks that the pages of man/ are generated from the command table, the flag table and the topics of help. To update them:
//
//	go test ./cmd/command -run ManPages -update
func TestManPages(t *testing.T) {
	pages := map[string]string{"deref.1": manPage(commands()[0])}
	for _, c := range commands() {
		if c.name != "" && c.short != "" {
			pages["deref-"+c.name+".1"] = manPage(c)
		}
	}
	for name, want := range pages {
		path := filepath.Join("man", name)
		if *update {
			if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != want {
			t.Errorf("got an outdated %s (%v), want it as go test ./cmd/command -run ManPages -update writes it", path, err)
		}
	}
	left, err := os.ReadDir("man")
	if err != nil || len(left) != len(pages) {
		t.Errorf("man: got %d pages, want %d: %v", len(left), len(pages), err)
	}
}
