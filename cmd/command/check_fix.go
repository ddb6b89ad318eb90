package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/pflag"

	"example.org/deref/cmd/internal/app"
	"example.org/deref/cmd/internal/flags"
	"example.org/deref/fetch/check"
	"example.org/deref/fetch/render"
)

// fixFlags are the flags of deref check for changing links.
type fixFlags struct {
	fix, write bool
	suggest    flags.NonEmptyList
}

func (f *fixFlags) addFix(fs *pflag.FlagSet) {
	fs.BoolVar(&f.fix, "fix", false, "print a patch that changes permanently redirected links, and http to https where it works")
	fs.Var(&f.suggest, "suggest", "print archived copies of dead links: in the WARC `FILE`, or by the URI of a Memento TimeGate")
	fs.BoolVar(&f.write, "write", false, "with --fix: change the files instead")
}

// reportTo returns where the report goes: standard output, unless that is the patch.
func (f *fixFlags) reportTo(a *app.App) io.Writer {
	if f.fix && !f.write {
		return a.Stderr
	}
	return a.Out()
}

// changes prints the patch, or changes the files.
func (f *fixFlags) changes(ctx context.Context, a *app.App, x *check.Fixer) error {
	if x == nil || ctx.Err() != nil {
		return nil
	}
	if err := x.Upgrade(ctx); err != nil {
		return err
	}
	var first error
	for e, err := range x.Edits(ctx) {
		if err == nil {
			err = f.change(a, e)
		}
		if err != nil {
			a.PrintError("", err)
			first = errors.Join(first, err)
		}
	}
	return app.Printed(first)
}

func (f *fixFlags) change(a *app.App, e *check.Edit) error {
	name := relative(e.Path)
	if e.Left > 0 {
		a.Warn(fmt.Errorf("%s: %d links are not written as their URIs, and stay", render.Escape(name), e.Left))
	}
	if e.Fixed == 0 {
		return nil
	}
	if !f.write {
		return a.Print(string(e.Diff(filepath.ToSlash(name))))
	}
	lost, err := e.Write()
	a.Warn(lost)
	if err == nil {
		fmt.Fprintf(a.Stderr, "deref: note: %s: %d links changed\n", render.Escape(name), e.Fixed)
	}
	return err
}

// relative returns a path as the user sees it: relative to the current directory if it is in it.
func relative(path string) string {
	dir, err := os.Getwd()
	if err == nil {
		dir, err = filepath.EvalSymlinks(dir)
	}
	rel, rerr := filepath.Rel(dir, path)
	if err != nil || rerr != nil || !filepath.IsLocal(rel) {
		return path
	}
	return rel
}
