package schemes_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// literals returns all string literals of a file, and the names of the programs that it runs by calls such as lab.Client(t, "curl").
func literals(t *testing.T, name string) (all, programs []string) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BasicLit:
			if s, err := strconv.Unquote(n.Value); err == nil {
				all = append(all, s)
			}
		case *ast.CallExpr:
			f, ok := n.Fun.(*ast.SelectorExpr)
			if !ok || len(n.Args) < 2 || fmt.Sprint(f.X) != "lab" {
				return true
			}
			switch f.Sel.Name {
			case "Netcat":
				programs, all = append(programs, "nc"), append(all, "nc")
				return true
			case "Client", "Run", "Terminal":
			default:
				return true
			}
			if lit, ok := n.Args[1].(*ast.BasicLit); ok {
				s, _ := strconv.Unquote(lit.Value)
				programs = append(programs, s)
			}
		}
		return true
	})
	return all, programs
}

// TestReadmeListsTheClients: the table in README.md has the clients that the tests of each server run. They are in the server's directory or
// that of its scheme.
func TestReadmeListsTheClients(t *testing.T) {
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string][]string{} // by server
	known := map[string]bool{}
	for _, row := range regexp.MustCompile(`(?m)^\| (\w+test) \| ([^|]*) \|`).FindAllStringSubmatch(string(text), -1) {
		listed[row[1]] = strings.FieldsFunc(row[2], func(c rune) bool { return c == ' ' || c == ',' })
		for _, program := range listed[row[1]] {
			known[program] = true
		}
	}
	dirs, err := filepath.Glob("*/*test")
	if err != nil {
		t.Fatal(err)
	}
	said, run := map[string][]string{}, map[string][]string{} // by server
	for _, dir := range dirs {
		if strings.HasPrefix(dir, "internal") {
			continue
		}
		server := filepath.Base(dir)
		said[server] = nil
		for _, name := range []string{filepath.Join(dir, "clients_test.go"), filepath.Join(filepath.Dir(dir), "clients_test.go")} {
			if _, err := os.Stat(name); err == nil {
				said[server], run[server] = literals(t, name)
			}
		}
		for _, program := range run[server] {
			known[program] = true
		}
	}
	for server, all := range said {
		covered := map[string]bool{}
		for _, s := range all { // also the programs that a table names
			if known[s] {
				covered[s] = true
			}
		}
		want := slices.Sorted(maps.Keys(covered))
		if got, ok := listed[server]; !ok || !slices.Equal(got, want) {
			t.Errorf("README.md has for %s the clients %q, its tests run %q", server, got, want)
		}
		delete(listed, server)
	}
	for server := range listed {
		t.Errorf("README.md has %s, which is not a server", server)
	}
}
