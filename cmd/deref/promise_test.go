package main

import (
	"go/ast"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// securityNamesThePackages checks that the table of promises in SECURITY.md names, for each promise, exactly the packages that have tests
// named after it.
func securityNamesThePackages(t *testing.T, files []goFile) {
	documented := map[string][]string{} // packages by promise
	for _, m := range regexp.MustCompile(`(?m)^\| (\d+)\. .* \| (.*) \|$`).FindAllStringSubmatch(contents(t, "../../.github/SECURITY.md"), -1) {
		documented[m[1]] = strings.Split(m[2], ", ")
	}
	tested := map[string][]string{}
	declared := regexp.MustCompile(`^TestPromise(\d+)`)
	for _, f := range files {
		for _, decl := range f.Decls {
			if d, ok := decl.(*ast.FuncDecl); ok && f.isTest() {
				if m := declared.FindStringSubmatch(d.Name.Name); m != nil {
					tested[m[1]] = append(tested[m[1]], path.Dir(f.path))
				}
			}
		}
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
