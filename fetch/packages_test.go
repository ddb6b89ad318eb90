package fetch_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The drawing in README.md names each package below fetch in the group to which its imports belong.
func TestDrawingOfPackages(t *testing.T) {
	if testing.Short() {
		t.Skip("it lists the imports of every package")
	}
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	drawn := map[string]string{} // name to group
	group := ""
	for line := range strings.Lines(string(text)) {
		_, title, isTitle := strings.Cut(line, "┌─ packages that ")
		words := strings.Fields(strings.Trim(strings.TrimSpace(line), "│"))
		switch {
		case isTitle:
			group, _, _ = strings.Cut(title, " ─")
		case strings.Contains(line, "└"):
			group = ""
		case group != "" && words[0] != "later":
			for _, name := range words {
				if _, err := os.Stat(name); err == nil {
					drawn[name] = group
				} else if strings.Contains(name, "/") {
					t.Errorf("got %s in the drawing, want only packages that exist", name)
				}
			}
		}
	}
	if len(drawn) < 20 {
		t.Fatalf("got %d packages in the drawing, want at least 20", len(drawn))
	}
	all := packages(t)
	for name, imports := range all {
		want := "know nothing of fetch"
		if slices.ContainsFunc(imports, func(path string) bool {
			return path == "example.org/deref/fetch" || drawn[strings.TrimPrefix(path, "example.org/deref/fetch/")] == "import fetch"
		}) {
			want = "import fetch"
		}
		if drawn[name] != want {
			t.Errorf("%s: got the group %q in the drawing, want %q", name, drawn[name], want)
		}
	}
	for name := range drawn {
		if _, ok := all[name]; !ok {
			t.Errorf("got %s in the drawing, want only packages that exist", name)
		}
	}
}

// packages returns the imports of each package below this directory, without those of its tests.
func packages(t *testing.T) map[string][]string {
	t.Helper()
	all := map[string][]string{}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		dir := filepath.ToSlash(filepath.Dir(path))
		if err != nil || d.IsDir() || dir == "." || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") ||
			strings.Contains(dir, "testdata") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		imports := all[dir] // a package without imports is listed, too
		for _, i := range file.Imports {
			imports = append(imports, strings.Trim(i.Path.Value, `"`))
		}
		all[dir] = imports
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// A Conn uses its request only through an interface, so the dependency goes one way.
func TestConnDoesNotKnowItsRequest(t *testing.T) {
	for _, name := range []string{"conn.go", "deadline.go", "reply.go", "line.go", "copy.go"} {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok && slices.Contains([]string{"Env", "Client", "Plan", "body"}, id.Name) {
				t.Errorf("%s: got the name %s, want none of the request", name, id.Name)
			}
			return true
		})
	}
}
