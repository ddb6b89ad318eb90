package fetch_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const module = "example.org/deref"

// A source is the Go files of a package that other modules can import.
type source struct {
	path  string
	files []*ast.File
}

// importable returns the packages of the module that other modules can import, and parses them.
func importable(t *testing.T) map[string]*source {
	t.Helper()
	all := map[string]*source{}
	root, set := "..", token.NewFileSet()
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "internal" || d.Name() == "testdata" || len(d.Name()) > 2 && d.Name()[0] == '.') {
			return fs.SkipDir
		}
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		file, err := parser.ParseFile(set, name, nil, parser.SkipObjectResolution)
		if err != nil || file.Name.Name == "main" {
			return err
		}
		rel, err := filepath.Rel(root, filepath.Dir(name))
		if err != nil {
			return err
		}
		p := path.Join(module, filepath.ToSlash(rel))
		if all[p] == nil {
			all[p] = &source{path: p}
		}
		all[p].files = append(all[p].files, file)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 60 {
		t.Fatalf("got %d packages, want at least 60", len(all))
	}
	return all
}

// Other modules can use everything that the packages export, and go doc explains it.
func TestExportedIdentifiers(t *testing.T) {
	t.Parallel()
	all := importable(t)
	t.Run("types", func(t *testing.T) { exportedTypesArePublic(t, all) })
	t.Run("servers", func(t *testing.T) { serversDeclareTheirMethods(t, all) })
}

// An exported identifier has no type of an internal package: another module could not name it.
func exportedTypesArePublic(t *testing.T, all map[string]*source) {
	for _, p := range all {
		for _, f := range p.files {
			imports := importsOf(f)
			for _, d := range f.Decls {
				for name, exprs := range exported(d) {
					for _, e := range exprs {
						ast.Inspect(e, func(n ast.Node) bool {
							if from := imports[qualifier(n)]; isInternal(from) {
								t.Errorf("%s.%s: got a type of %s, want only types of packages that other modules can import", p.path, name, from)
							}
							return true
						})
					}
				}
			}
		}
	}
}

// go doc finds a method only in the package that declares it, and does not list what a struct has from an embedded one. So the types of
// test servers declare their methods.
func serversDeclareTheirMethods(t *testing.T, all map[string]*source) {
	servers := 0
	for _, p := range all {
		if !strings.HasSuffix(p.path, "test") {
			continue
		}
		servers++
		own := methodsOf(p)
		for _, f := range p.files {
			imports := importsOf(f)
			for _, d := range f.Decls {
				for name, embedded := range embeds(d) {
					from, typ := p, embedded
					if q, rest, ok := strings.Cut(embedded, "."); ok {
						from, typ = all[imports[q]], rest
					}
					if from == nil {
						continue // of another module, or of the standard library
					}
					for _, m := range methodsOf(from)[typ] {
						if !slices.Contains(own[name], m) {
							t.Errorf("%s.%s: got the method %s from the embedded %s, want it declared, so that go doc finds it", p.path, name, m, embedded)
						}
					}
				}
			}
		}
	}
	if servers < 15 {
		t.Errorf("got %d packages of test servers, want at least 15", servers)
	}
}

// importsOf returns the import paths of f by the names that it uses.
func importsOf(f *ast.File) map[string]string {
	all := map[string]string{}
	for _, i := range f.Imports {
		p := strings.Trim(i.Path.Value, `"`)
		name := path.Base(p)
		if i.Name != nil {
			name = i.Name.Name
		}
		all[name] = p
	}
	return all
}

// qualifier returns the package name in a qualified identifier, and "" for any other node.
func qualifier(n ast.Node) string {
	if s, ok := n.(*ast.SelectorExpr); ok {
		if id, ok := s.X.(*ast.Ident); ok {
			return id.Name
		}
	}
	return ""
}

func isInternal(path string) bool {
	return strings.HasPrefix(path, module) && slices.Contains(strings.Split(path, "/"), "internal")
}

// exported returns the names that d exports, with the expressions that determine their types.
func exported(d ast.Decl) map[string][]ast.Node {
	all := map[string][]ast.Node{}
	switch d := d.(type) {
	case *ast.FuncDecl:
		if name := d.Name.Name; ast.IsExported(name) && (d.Recv == nil || ast.IsExported(receiver(d))) {
			all[name] = []ast.Node{d.Type}
		}
	case *ast.GenDecl:
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.TypeSpec:
				if ast.IsExported(s.Name.Name) {
					all[s.Name.Name] = visible(s.Type)
				}
			case *ast.ValueSpec:
				for _, n := range s.Names {
					if !ast.IsExported(n.Name) {
						continue
					}
					if s.Type != nil {
						all[n.Name] = []ast.Node{s.Type}
						continue
					}
					for _, v := range s.Values {
						all[n.Name] = append(all[n.Name], v)
					}
				}
			}
		}
	}
	return all
}

// visible returns the parts of a type that its users see.
func visible(e ast.Expr) (list []ast.Node) {
	s, ok := e.(*ast.StructType)
	if !ok {
		return []ast.Node{e}
	}
	for _, f := range s.Fields.List {
		if len(f.Names) == 0 || slices.ContainsFunc(f.Names, func(n *ast.Ident) bool { return n.IsExported() }) {
			list = append(list, f.Type)
		}
	}
	return list
}

// embeds returns the structs that the exported structs of d embed, by their names.
func embeds(d ast.Decl) map[string]string {
	all := map[string]string{}
	g, ok := d.(*ast.GenDecl)
	if !ok {
		return nil
	}
	for _, s := range g.Specs {
		if s, ok := s.(*ast.TypeSpec); ok && ast.IsExported(s.Name.Name) {
			if st, ok := s.Type.(*ast.StructType); ok {
				for _, f := range st.Fields.List {
					if len(f.Names) == 0 {
						all[s.Name.Name] = typeName(f.Type)
					}
				}
			}
		}
	}
	return all
}

// methodsOf returns the exported methods of each type of a package.
func methodsOf(p *source) map[string][]string {
	all := map[string][]string{}
	for _, f := range p.files {
		for _, d := range f.Decls {
			if d, ok := d.(*ast.FuncDecl); ok && d.Recv != nil && d.Name.IsExported() {
				all[receiver(d)] = append(all[receiver(d)], d.Name.Name)
			}
		}
	}
	return all
}

func receiver(d *ast.FuncDecl) string { return typeName(d.Recv.List[0].Type) }

// typeName returns the name of a type, without a pointer and without type arguments.
func typeName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return typeName(e.X)
	case *ast.IndexExpr:
		return typeName(e.X)
	case *ast.IndexListExpr:
		return typeName(e.X)
	case *ast.SelectorExpr:
		return typeName(e.X) + "." + e.Sel.Name
	case *ast.Ident:
		return e.Name
	}
	return ""
}
