package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
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
		"schemes/internal/maildoc":    {"uri", "fetch", "schemes/internal"},             // documents that mail and news share
		"schemes/internal/mailstore":  {"fetch/pieces", "schemes/internal"},             // mailbox files
		"schemes/internal/nvt":        {"fetch", "schemes/internal"},                    // the connections of telnet and tn3270
		"schemes/internal/replies":    {"fetch"},                                        // tables of replies
		"schemes/internal/schemetest": {"uri", "fetch", "schemes/internal", "testdata"}, // for tests only
		"schemes/internal/lineproto":  {"fetch"},                                        // encodings that several schemes use
		"schemes/internal/urifield":   {"fetch"},                                        // the numbers of settings, too
		"schemes/internal/waissource": {"uri", "schemes/internal"},                      // descriptions of WAIS databases
		"testdata":                    {"testdata"},
		"testdata/linkset":            {"fetch/fetchtest/loopback", "schemes", "testdata"}, // servers of links, for tests and comparisons
		"testdata/pages":              {"uri", "fetch", "schemes", "testdata"},             // a gateway, for tests with and without a browser
		"testdata/bench/minimal":      {"uri"},                                             // parses the same lists
		"cmd":                         {"uri", "fetch", "schemes", "testdata", "cmd"},
		"cmd/internal":                {"uri", "fetch", "schemes", "testdata", "cmd/internal"},
	}
}

// TestHouse checks the rules for the Go files of the module.
func TestHouse(t *testing.T) {
	t.Parallel()
	files, err := goFiles(regexp.MustCompile(`/(embed|thirdparty)/`))
	if err != nil {
		t.Fatal(err)
	}
	for name, check := range map[string]func(*testing.T, []goFile){
		"imports follow the one-way street": importsFollowTheOneWayStreet,
		"no globals":                        noGlobals,
		"every package is explained":        everyPackageIsExplained,
		"every package has an example":      everyPackageHasAnExample,
		"every scheme is listed":            everySchemeIsListed,
		"one package reads HTML":            onePackageReadsHTML,
		"the way in is explained":           theWayInIsExplained,
		"tests wait for events":             testsWaitForEvents,
		"the whole does not grow":           theWholeDoesNotGrow,
		"SECURITY.md names the packages":    securityNamesThePackages,
	} {
		t.Run(name, func(t *testing.T) { check(t, files) })
	}
}

// A goFile is a Go file of the module. The path is relative to the module's root, with slashes.
type goFile struct {
	path string
	*ast.File
}

func (f goFile) isTest() bool { return strings.HasSuffix(f.path, "_test.go") }

// goFiles parses the Go files of the module, except those whose paths match. No test keeps them for another one: as long as they are in memory, each
// garbage collection reads them.
func goFiles(except *regexp.Regexp) (files []goFile, err error) {
	err = fs.WalkDir(os.DirFS("../.."), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err == nil && d.IsDir() && strings.HasPrefix(d.Name(), ".git"):
			return fs.SkipDir
		case err != nil || d.IsDir() || !strings.HasSuffix(name, ".go") || except.MatchString(name):
			return err
		}
		f, err := parser.ParseFile(token.NewFileSet(), "../../"+name, nil, parser.ParseComments|parser.SkipObjectResolution)
		files = append(files, goFile{name, f})
		return err
	})
	if err == nil && len(files) < 50 {
		err = fmt.Errorf("got %d files, want at least 50: the test searches the wrong directory", len(files))
	}
	return files, err
}

func importsFollowTheOneWayStreet(t *testing.T, files []goFile) {
	rules := mayImport()
	for _, f := range files {
		if f.isTest() {
			continue // tests may import everything in their own directory, and the test servers next to it
		}
		room := roomOf(rules, filepath.ToSlash(filepath.Dir(f.path)))
		for _, imp := range f.Imports {
			to, ours := strings.CutPrefix(strings.Trim(imp.Path.Value, `"`), module)
			if ours && !allowed(rules[room], to) {
				t.Errorf("%s imports %s, want only %q (rule %q)", f.path, to, rules[room], room)
			}
			if imp.Name != nil && imp.Name.Name == "_" && imp.Path.Value != `"embed"` {
				t.Errorf("%s imports %s for its side effects, want only embed", f.path, imp.Path.Value)
			}
		}
	}
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

// noGlobals checks that there is no init(), and no package-level variable except interface guards, embedded files, error values, and
// arrays of literals, which are the nearest thing to a constant table in Go. State belongs to values that a caller creates. The one exception
// is the lock of a variable of package runtime.
func noGlobals(t *testing.T, files []goFile) {
	for _, f := range files {
		if f.isTest() {
			continue
		}
		for _, decl := range f.Decls {
			switch d := decl.(type) {
			case *ast.FuncDecl:
				if d.Name.Name == "init" && d.Recv == nil {
					t.Errorf("%s: got an init function, want none", f.path)
				}
			case *ast.GenDecl:
				if d.Tok == token.VAR && !embedded(d) {
					checkVars(t, f.path, d)
				}
			}
		}
	}
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

// everyPackageIsExplained checks that each package has a package comment.
func everyPackageIsExplained(t *testing.T, files []goFile) {
	explained := map[string]bool{}
	for _, f := range files {
		if f.isTest() {
			continue
		}
		dir := filepath.Dir(f.path)
		explained[dir] = explained[dir] || f.Doc != nil
	}
	for dir, ok := range explained {
		if !ok {
			t.Errorf("package %s: got no package comment, want one", dir)
		}
	}
}

// everyPackageHasAnExample checks that each package with exported functions has an example. Internal packages and test cases have no
// users outside the module. The tests of a kit such as schemes/dict/dicttest are in the package that it is for, whose test program links it
// already. Example_dicttest there is the example of the kit, and of nothing else.
func everyPackageHasAnExample(t *testing.T, files []goFile) {
	exported, examples := map[string]bool{}, map[string]bool{}
	for _, f := range files {
		dir := filepath.ToSlash(filepath.Dir(f.path))
		if f.Name.Name == "main" || strings.Contains("/"+dir+"/", "/internal/") || strings.HasPrefix(dir, "testdata/") {
			continue
		}
		for _, decl := range f.Decls {
			d, ok := decl.(*ast.FuncDecl)
			switch {
			case !ok || d.Recv != nil:
			case !f.isTest():
				exported[dir] = exported[dir] || d.Name.IsExported()
			case strings.HasPrefix(d.Name.Name, "Example_"):
				examples[dir+"/"+strings.TrimPrefix(d.Name.Name, "Example_")] = true
			case strings.HasPrefix(d.Name.Name, "Example"):
				examples[dir] = true
			}
		}
	}
	for dir := range exported {
		if !examples[dir] {
			t.Errorf("package %s: got no Example function, want one", dir)
		}
	}
}

// everySchemeIsListed checks that schemes.All lists each package below schemes that exports Scheme or Schemes.
func everySchemeIsListed(t *testing.T, files []goFile) {
	list := contents(t, "../../schemes/schemes.go")
	for _, f := range files {
		parts := strings.Split(f.path, "/")
		if len(parts) != 3 || parts[0] != "schemes" || f.isTest() {
			continue
		}
		for _, decl := range f.Decls {
			d, ok := decl.(*ast.FuncDecl)
			if ok && d.Recv == nil && (d.Name.Name == "Scheme" || d.Name.Name == "Schemes") &&
				!strings.Contains(list, `"`+module+"schemes/"+parts[1]+`"`) {
				t.Errorf("got no import of %s in schemes/schemes.go, want one", f.path)
			}
		}
	}
}

// onePackageReadsHTML checks that only uri/markup calls the functions of golang.org/x/net/html that read a page: another caller would link its
// table of named characters, which is built whenever deref starts.
func onePackageReadsHTML(t *testing.T, files []goFile) {
	for _, f := range files {
		if f.isTest() || strings.HasPrefix(f.path, "uri/markup/") {
			continue
		}
		name := ""
		for _, imp := range f.Imports {
			if imp.Path.Value == `"golang.org/x/net/html"` {
				if name = "html"; imp.Name != nil {
					name = imp.Name.Name
				}
			}
		}
		ast.Inspect(f.File, func(n ast.Node) bool {
			sel, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			of, ok := sel.X.(*ast.Ident)
			reads := strings.HasPrefix(sel.Sel.Name, "NewTokenizer") || strings.HasPrefix(sel.Sel.Name, "Parse") || sel.Sel.Name == "UnescapeString"
			if ok && name != "" && of.Name == name && reads {
				t.Errorf("%s: got %s.%s, want package uri/markup", f.path, name, sel.Sel.Name)
			}
			return true
		})
	}
}

// theWayInIsExplained checks that the functions exist that fetch/README.md lists between main and a handler.
func theWayInIsExplained(t *testing.T, files []goFile) {
	rows := regexp.MustCompile("(?m)^\\| (\\S+\\.go) \\| (`.*`) \\|").FindAllStringSubmatch(contents(t, "../../fetch/README.md"), -1)
	if len(rows) < 10 {
		t.Errorf("got %d rows, want at least 10", len(rows))
	}
	functions := map[string]bool{}
	for _, f := range files {
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok {
				functions[f.path+" `"+fn.Name.Name+"`"] = true
			}
		}
	}
	for _, row := range rows {
		for name := range strings.SplitSeq(row[2], ", ") {
			if !functions[row[1]+" "+name] {
				t.Errorf("got no function %s in %s, want one", name, row[1])
			}
		}
	}
}
