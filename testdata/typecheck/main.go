// Typecheck checks the types of packages and of their tests for other platforms, without compiling them: it takes a few seconds for a platform of
// which nothing is in the build cache, where go vet takes minutes.
//
//	go run ./testdata/typecheck OS/ARCH... [-- PACKAGE...]
//
// The packages are ./... if none is given. What only the compiler, the assembler or the linker can tell is not found.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

func main() {
	platforms, packages := os.Args[1:], []string{"./..."}
	if i := slices.Index(platforms, "--"); i >= 0 {
		platforms, packages = platforms[:i], platforms[i+1:]
	}
	bad := false
	for _, platform := range platforms {
		errs, err := check(platform, packages)
		if err != nil {
			errs = append(errs, err)
		}
		for _, err := range errs {
			fmt.Fprintf(os.Stderr, "%s: %v\n", platform, err)
		}
		bad = bad || len(errs) > 0
	}
	if bad {
		os.Exit(1)
	}
}

// listed is what go list -json tells of a package.
type listed struct {
	ImportPath string // with " [P.test]" for what the tests of P change
	Dir        string
	Standard   bool
	GoFiles    []string
	ImportMap  map[string]string // from the paths in the sources, where they differ
	Module     *struct {
		Main      bool
		GoVersion string
	}
}

// check returns the errors of packages for a platform, OS/ARCH.
func check(platform string, packages []string) (errs []error, err error) {
	system, arch, ok := strings.Cut(platform, "/")
	sizes := types.SizesFor("gc", arch)
	if !ok || sizes == nil {
		return nil, errors.New("not a platform")
	}
	list := exec.Command("go", append([]string{"list", "-deps", "-test", "-json=ImportPath,Dir,Standard,GoFiles,ImportMap,Module", "--"}, packages...)...)
	list.Env = append(os.Environ(), "GOOS="+system, "GOARCH="+arch, "CGO_ENABLED=0")
	list.Stderr = os.Stderr
	out, err := list.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := list.Start(); err != nil {
		return nil, err
	}
	fset, done := token.NewFileSet(), map[string]*types.Package{"unsafe": types.Unsafe}
	// Dependencies come first.
	for dec := json.NewDecoder(out); ; {
		var p listed
		if err := dec.Decode(&p); err == io.EOF {
			return errs, list.Wait()
		} else if err != nil {
			return errs, err
		}
		if p.ImportPath == "unsafe" || strings.HasSuffix(p.ImportPath, ".test") {
			continue
		}
		own := p.Module != nil && p.Module.Main
		conf := types.Config{Importer: imports{p.ImportMap, done}, Sizes: sizes, IgnoreFuncBodies: !own, Error: func(err error) {
			if own {
				errs = append(errs, err)
			}
		}}
		if p.Module != nil && p.Module.GoVersion != "" {
			conf.GoVersion = "go" + p.Module.GoVersion
		}
		var files []*ast.File
		for _, name := range p.GoFiles {
			file, err := parser.ParseFile(fset, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
			if err != nil {
				return errs, err
			}
			files = append(files, file)
		}
		path, _, _ := strings.Cut(p.ImportPath, " ")
		done[p.ImportPath], _ = conf.Check(path, fset, files, nil)
	}
}

// imports finds what a package imports among the packages that are done.
type imports struct {
	names map[string]string
	done  map[string]*types.Package
}

func (i imports) Import(path string) (*types.Package, error) {
	if name, ok := i.names[path]; ok {
		path = name
	}
	if p := i.done[path]; p != nil {
		return p, nil
	}
	return nil, fmt.Errorf("there is no package %s", path)
}
