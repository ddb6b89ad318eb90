package schemetest

import (
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/schemes/internal/replies"
)

// Page checks that the package in the current directory documents table, and that the Help of each scheme contains it.
func Page(t testing.TB, table replies.Table, schemes ...fetch.Scheme) {
	t.Helper()
	for line := range strings.Lines(string(table)) {
		codes, _, _ := strings.Cut(line, ",")
		codes, _, _ = strings.Cut(codes, "  ")
		if kind, _ := table.Kind(strings.TrimPrefix(codes, "other ")); kind != "" && !strings.Contains(kinds, " "+string(kind)+" ") {
			t.Errorf("the table of replies has the unknown Kind %q", kind)
		}
	}
	for _, s := range schemes {
		if want := string(table); !strings.Contains(s.Help(), want) {
			t.Errorf("the Help of %s lacks its table of replies: got\n%s\nwant\n%s", s.Name(), s.Help(), want)
		}
	}
	want := "\t" + strings.ReplaceAll(strings.TrimSuffix(string(table), "\n"), "\n", "\n\t") + "\n"
	if page := packagePage(t); !strings.Contains(page, want) {
		t.Errorf("the package page lacks the table of replies: got\n%s\nwant\n%s", page, want)
	}
}

// kinds are those of replies and of what ends in their place.
const kinds = " refused-url denied unsupported interactive connection timeout tls auth notfound refused unavailable protocol truncated transfer limit " +
	"redirect range changed local "

// packagePage returns the package comment of the current directory.
func packagePage(t testing.TB) string {
	t.Helper()
	names, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.PackageClauseOnly|parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		if f.Doc != nil {
			return f.Doc.Text()
		}
	}
	t.Fatal("no file has a package comment")
	return ""
}
