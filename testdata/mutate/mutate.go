// Command mutate changes one place of a package at a time, and reports which of the changes its tests do not catch.
//
//	go run ./testdata/mutate [-n 20] [-seed 1] DIRECTORY...
//
// It compares in another way (< becomes <=, == becomes !=), drops an error that is returned, or swaps two arguments. Files are not changed: the go
// command gets the changed one as an overlay. The same seed chooses the same changes as long as the source is the same.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

func main() {
	n := flag.Int("n", 20, "changes in each package")
	seed := flag.Uint64("seed", 1, "chooses the changes")
	flag.Parse()
	survived := 0
	for _, dir := range flag.Args() {
		missed, err := mutate(dir, *n, *seed)
		if err != nil {
			fmt.Fprintln(os.Stderr, "mutate:", err)
			os.Exit(1)
		}
		survived += missed
	}
	fmt.Printf("%d changes were not caught\n", survived)
}

// A change is one change of a source file, and how to undo it.
type change struct {
	at       token.Position
	what     string
	do, undo func()
}

// mutate makes n changes in a package, and returns how many its tests do not catch.
func mutate(dir string, n int, seed uint64) (survived int, err error) {
	fset := token.NewFileSet()
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return 0, err
	}
	files := map[string]*ast.File{}
	var list []change
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(fset, name, nil, parser.ParseComments)
		if err != nil {
			return 0, err
		}
		files[name] = f
		list = append(list, changes(fset, f)...)
	}
	rand.New(rand.NewPCG(seed, 0)).Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	caught := 0
	for _, c := range list {
		if caught+survived == n {
			break
		}
		c.do()
		compiles, passes, err := test(fset, files[c.at.Filename], c.at.Filename, dir)
		c.undo()
		switch {
		case err != nil:
			return survived, err
		case !compiles:
		case passes:
			survived++
			fmt.Printf("not caught: %s: %s\n", c.at, c.what)
		default:
			caught++
		}
	}
	fmt.Printf("%s: %d of %d changes were caught\n", dir, caught, caught+survived)
	return survived, nil
}

// changes returns the possible changes of a file.
func changes(fset *token.FileSet, f *ast.File) (list []change) {
	swap := map[token.Token]token.Token{token.LSS: token.LEQ, token.LEQ: token.LSS, token.GTR: token.GEQ, token.GEQ: token.GTR, token.EQL: token.NEQ, token.NEQ: token.EQL}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BinaryExpr:
			old, other := n.Op, swap[n.Op]
			if other != 0 {
				list = append(list, change{fset.Position(n.OpPos), fmt.Sprintf("%s became %s", old, other), func() { n.Op = other }, func() { n.Op = old }})
			}
		case *ast.ReturnStmt:
			last := len(n.Results) - 1
			if last < 0 {
				break
			}
			if id, ok := n.Results[last].(*ast.Ident); ok && id.Name == "err" {
				list = append(list, change{fset.Position(id.Pos()), "a dropped error", func() { id.Name = "nil" }, func() { id.Name = "err" }})
			}
		case *ast.CallExpr:
			if len(n.Args) >= 2 {
				exchange := func() { n.Args[0], n.Args[1] = n.Args[1], n.Args[0] }
				list = append(list, change{fset.Position(n.Lparen), "swapped arguments", exchange, exchange})
			}
		}
		return true
	})
	return list
}

// test runs the tests of a package with f in place of the file of that name. A test that does not end in two minutes fails.
func test(fset *token.FileSet, f *ast.File, name, dir string) (compiles, passes bool, err error) {
	temp, err := os.MkdirTemp("", "mutate-")
	if err != nil {
		return false, false, err
	}
	defer os.RemoveAll(temp)
	var text bytes.Buffer
	if err := format.Node(&text, fset, f); err != nil {
		return false, false, err
	}
	path, err := filepath.Abs(name)
	if err != nil {
		return false, false, err
	}
	changed, overlay := filepath.Join(temp, "changed.go"), filepath.Join(temp, "overlay.json")
	replace, err := json.Marshal(map[string]map[string]string{"Replace": {path: changed}})
	if err := errors.Join(err, os.WriteFile(changed, text.Bytes(), 0o600), os.WriteFile(overlay, replace, 0o600)); err != nil {
		return false, false, err
	}
	program := filepath.Join(temp, "test")
	if exec.Command("go", "test", "-overlay", overlay, "-vet=off", "-c", "-o", program, "./"+filepath.Clean(dir)).Run() != nil {
		return false, false, nil
	}
	cmd := exec.Command(program, "-test.short", "-test.timeout", "2m")
	cmd.Dir = dir
	return true, cmd.Run() == nil, nil
}
