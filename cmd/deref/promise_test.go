package main

import (
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestSecurityNamesThePackagesOfPromises checks that the table of promises in SECURITY.md names, for each promise, exactly the packages
// that have tests named after it.
func TestSecurityNamesThePackagesOfPromises(t *testing.T) {
	page, err := os.ReadFile("../../.github/SECURITY.md")
	if err != nil {
		t.Fatal(err)
	}
	documented := map[string][]string{} // packages by promise
	for _, m := range regexp.MustCompile(`(?m)^\| (\d+)\. .* \| (.*) \|$`).FindAllSubmatch(page, -1) {
		documented[string(m[1])] = strings.Split(string(m[2]), ", ")
	}
	tested := map[string][]string{}
	declared := regexp.MustCompile(`(?m)^func TestPromise(\d+)\w+\(`)
	err = fs.WalkDir(os.DirFS("../.."), ".", func(name string, d fs.DirEntry, err error) error {
		if d != nil && d.IsDir() && name == ".git" { // in a git worktree, .git is a file
			return fs.SkipDir
		}
		if err != nil || d.IsDir() || !strings.HasSuffix(name, "_test.go") {
			return err
		}
		text, err := os.ReadFile("../../" + name)
		for _, m := range declared.FindAllSubmatch(text, -1) {
			tested[string(m[1])] = append(tested[string(m[1])], path.Dir(name))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for n := 1; n <= 10; n++ {
		got, want := documented[strconv.Itoa(n)], tested[strconv.Itoa(n)]
		slices.Sort(want)
		if want = slices.Compact(want); len(want) == 0 || !slices.Equal(got, want) {
			t.Errorf("promise %d: the page has %q, tests are in %q", n, got, want)
		}
	}
	if len(tested) != 10 || len(documented) != 10 {
		t.Errorf("got tests of %d promises and rows for %d, want 10", len(tested), len(documented))
	}
}
