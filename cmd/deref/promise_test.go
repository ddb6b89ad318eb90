package main

import (
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// The README's table of promises names each test that is called after one, and no other; every promise has some.
func TestReadmeNamesTheTestsOfPromises(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	told := map[string][]string{} // promise: tests
	for line := range strings.Lines(string(readme)) {
		if number, rest, ok := strings.Cut(strings.TrimPrefix(line, "| "), ". "); ok && strings.HasPrefix(line, "| ") {
			if _, err := strconv.Atoi(number); err == nil {
				told[number] = regexp.MustCompile(`TestPromise\w+`).FindAllString(rest, -1)
			}
		}
	}
	there := map[string][]string{}
	declared := regexp.MustCompile(`(?m)^func (TestPromise(\d+)\w+)\(`)
	err = fs.WalkDir(os.DirFS("../.."), ".", func(name string, d fs.DirEntry, err error) error {
		if d != nil && d.IsDir() && name == ".git" { // a worktree of git has a file of that name
			return fs.SkipDir
		}
		if err != nil || d.IsDir() || !strings.HasSuffix(name, "_test.go") {
			return err
		}
		text, err := os.ReadFile("../../" + name)
		for _, m := range declared.FindAllSubmatch(text, -1) {
			there[string(m[2])] = append(there[string(m[2])], string(m[1]))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for n := 1; n <= 10; n++ {
		number := strconv.Itoa(n)
		slices.Sort(there[number])
		slices.Sort(told[number])
		got, want := slices.Compact(told[number]), slices.Compact(there[number]) // two packages may have one of a name
		if len(want) == 0 || !slices.Equal(got, want) {
			t.Errorf("promise %d: the README has\n%s\nand the tests are\n%s", n, strings.Join(got, " "), strings.Join(want, " "))
		}
	}
	if len(there) != 10 || len(told) != 10 {
		t.Errorf("tests of %d promises, rows for %d", len(there), len(told))
	}
}
