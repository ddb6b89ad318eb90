package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const module = "example.org/deref/"

// mayImport returns the import rules that fetch/README.md describes: cmd → schemes → schemes/<name> → fetch → uri. The longest matching
// path decides.
func mayImport() map[string][]string {
	return map[string][]string{
		"uri":                         {"uri"},
		"fetch":                       {"uri", "fetch"},
		"schemes":                     {"uri", "fetch", "schemes"},
		"schemes/internal":            {"schemes/internal"},
		"schemes/internal/terminal":   {"uri", "fetch", "schemes/internal"},             // the sessions of telnet, rlogin and tn3270
		"schemes/internal/clientcert": {"fetch"},                                        // settings that two schemes share
		"schemes/internal/gemtext":    {"uri", "fetch"},                                 // entries that three schemes share
		"schemes/internal/maildoc":    {"uri", "fetch", "schemes/internal"},             // documents that mail and news share
		"schemes/internal/mailstore":  {"fetch/pieces", "schemes/internal"},             // mailbox files
		"schemes/internal/nvt":        {"fetch", "schemes/internal"},                    // the connections of telnet and tn3270
		"schemes/internal/replies":    {"fetch"},                                        // tables of replies
		"schemes/internal/schemetest": {"uri", "fetch", "schemes/internal", "testdata"}, // for tests only
		"schemes/internal/wire":       {"fetch"},                                        // encodings that several schemes use
		"testdata":                    {"testdata"},
		"cmd":                         {"uri", "fetch", "schemes", "testdata", "cmd"},
		"cmd/internal":                {"uri", "fetch", "schemes", "testdata", "cmd/internal"},
	}
}

// goFiles parses every Go file of the module.
func goFiles(t *testing.T, visit func(path string, f *ast.File)) {
	t.Helper()
	root := filepath.Join("..", "..")
	count := 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() && (strings.HasPrefix(d.Name(), ".git") || d.Name() == "embed") {
			return cmpOr(err, d, fs.SkipDir)
		}
		if d.IsDir() || !strings.HasSuffix(path, ".go") {
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(root, path)
		visit(filepath.ToSlash(rel), f)
		count++
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if count < 50 {
		t.Fatalf("got %d files, want at least 50: the test searches the wrong directory", count)
	}
}

func cmpOr(err error, d fs.DirEntry, skip error) error {
	if err != nil {
		return err
	}
	if d.Name() == ".." {
		return nil
	}
	return skip
}

func TestImportsFollowTheOneWayStreet(t *testing.T) {
	rules := mayImport()
	goFiles(t, func(path string, f *ast.File) {
		if strings.HasSuffix(path, "_test.go") {
			return // tests may import everything in their own directory, and the test servers next to it
		}
		room := roomOf(rules, filepath.ToSlash(filepath.Dir(path)))
		for _, imp := range f.Imports {
			to, ours := strings.CutPrefix(strings.Trim(imp.Path.Value, `"`), module)
			if ours && !allowed(rules[room], to) {
				t.Errorf("%s imports %s, want only %q (rule %q)", path, to, rules[room], room)
			}
			if imp.Name != nil && imp.Name.Name == "_" && imp.Path.Value != `"embed"` {
				t.Errorf("%s imports %s for its side effects, want only embed", path, imp.Path.Value)
			}
		}
	})
}

func roomOf(rules map[string][]string, dir string) string {
	for d := dir; d != "."; d = filepath.ToSlash(filepath.Dir(d)) {
		if _, ok := rules[d]; ok {
			return d
		}
	}
	return ""
}

func allowed(rooms []string, to string) bool {
	for _, r := range rooms {
		if to == r || strings.HasPrefix(to, r+"/") {
			return true
		}
	}
	return false
}

// TestNoGlobals checks that there is no init(), and no package-level variable except interface guards, embedded files, error values, and
// arrays of literals, which are the nearest thing to a constant table in Go. State belongs to values that a caller creates. The one exception
// is the lock of a variable of package runtime.
func TestNoGlobals(t *testing.T) {
	goFiles(t, func(path string, f *ast.File) {
		if strings.HasSuffix(path, "_test.go") {
			return
		}
		for _, decl := range f.Decls {
			switch d := decl.(type) {
			case *ast.FuncDecl:
				if d.Name.Name == "init" && d.Recv == nil {
					t.Errorf("%s: got an init function, want none", path)
				}
			case *ast.GenDecl:
				if d.Tok == token.VAR && !embedded(d) {
					checkVars(t, path, d)
				}
			}
		}
	})
}

func embedded(d *ast.GenDecl) bool {
	return d.Doc != nil && strings.Contains(d.Doc.List[len(d.Doc.List)-1].Text, "//go:embed")
}

func checkVars(t *testing.T, path string, d *ast.GenDecl) {
	for _, spec := range d.Specs {
		v := spec.(*ast.ValueSpec)
		for _, name := range v.Names {
			profileRate := path == "fetch/fetchtest/env.go" && name.Name == "profiling" // of runtime.MemProfileRate
			if name.Name != "_" && !isError(name.Name) && !isTable(v) && !profileRate {
				t.Errorf("%s: got package-level variable %s, want none", path, name.Name)
			}
		}
	}
}

func isError(name string) bool {
	return strings.HasPrefix(name, "err") || strings.HasPrefix(name, "Err")
}

// isTable reports whether v is an array of fixed length made of literals.
func isTable(v *ast.ValueSpec) bool {
	if len(v.Values) != 1 || v.Names[0].IsExported() {
		return false
	}
	lit, ok := v.Values[0].(*ast.CompositeLit)
	if !ok {
		return false
	}
	array, ok := lit.Type.(*ast.ArrayType)
	if !ok || array.Len == nil {
		return false
	}
	for _, e := range lit.Elts {
		if _, ok := e.(*ast.BasicLit); !ok {
			return false
		}
	}
	return true
}

// TestEveryPackageIsExplained checks that each package has a package comment.
func TestEveryPackageIsExplained(t *testing.T) {
	explained := map[string]bool{}
	goFiles(t, func(path string, f *ast.File) {
		if strings.HasSuffix(path, "_test.go") {
			return
		}
		dir := filepath.Dir(path)
		explained[dir] = explained[dir] || f.Doc != nil
	})
	for dir, ok := range explained {
		if !ok {
			t.Errorf("package %s: got no package comment, want one", dir)
		}
	}
}

// TestEveryPackageHasAnExample checks that each package with exported functions has an example. Internal packages and test cases have no
// users outside the module.
func TestEveryPackageHasAnExample(t *testing.T) {
	exported, examples := map[string]bool{}, map[string]bool{}
	goFiles(t, func(path string, f *ast.File) {
		dir := filepath.ToSlash(filepath.Dir(path))
		if f.Name.Name == "main" || strings.Contains("/"+dir+"/", "/internal/") || strings.HasPrefix(dir, "testdata/") {
			return
		}
		for _, decl := range f.Decls {
			d, ok := decl.(*ast.FuncDecl)
			switch {
			case !ok || d.Recv != nil:
			case !strings.HasSuffix(path, "_test.go"):
				exported[dir] = exported[dir] || d.Name.IsExported()
			case strings.HasPrefix(d.Name.Name, "Example"):
				examples[dir] = true
			}
		}
	})
	for dir := range exported {
		if !examples[dir] {
			t.Errorf("package %s: got no Example function, want one", dir)
		}
	}
}

// TestEverySchemeIsListed checks that schemes.All lists each package below schemes that exports Scheme or Schemes.
func TestEverySchemeIsListed(t *testing.T) {
	list, err := os.ReadFile(filepath.Join("..", "..", "schemes", "schemes.go"))
	if err != nil {
		t.Fatal(err)
	}
	goFiles(t, func(path string, f *ast.File) {
		parts := strings.Split(path, "/")
		if len(parts) != 3 || parts[0] != "schemes" || strings.HasSuffix(path, "_test.go") {
			return
		}
		for _, decl := range f.Decls {
			d, ok := decl.(*ast.FuncDecl)
			if ok && d.Recv == nil && (d.Name.Name == "Scheme" || d.Name.Name == "Schemes") &&
				!strings.Contains(string(list), `"`+module+"schemes/"+parts[1]+`"`) {
				t.Errorf("got no import of %s in schemes/schemes.go, want one", path)
			}
		}
	})
}
