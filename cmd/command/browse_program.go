package command

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"

	"example.org/deref/cmd/internal/app"
	"example.org/deref/fetch"
)

// browseElsewhere executes deref-browse with the arguments of this command.
func browseElsewhere(ctx context.Context, a *app.App) error {
	if len(a.More) > 0 {
		return fetch.Errorf(fetch.ErrUnsupported, "deref-browse does not have the schemes of this program; it needs a Screen of its own")
	}
	name, err := sibling("deref-browse")
	if err == nil {
		return execute(ctx, a, name, a.Args)
	}
	compiler, cerr := exec.LookPath("go")
	if cerr != nil || !inOwnSources() {
		return err
	}
	fmt.Fprintln(a.Stderr, "deref: building deref-browse, which takes a minute the first time")
	return execute(ctx, a, compiler, append([]string{"run", "example.org/deref/cmd/deref-browse"}, a.Args...))
}

// inOwnSources reports whether the current directory is in the clone from which this program was built, so that what the go command builds here is
// no other code. A program from the module proxy has a checksum, and one of a release has no absolute names of files.
func inOwnSources() bool {
	_, file, _, _ := runtime.Caller(0)
	root := filepath.Dir(filepath.Dir(filepath.Dir(file)))
	dir, err := os.Getwd()
	info, ok := debug.ReadBuildInfo()
	if !filepath.IsAbs(file) || err != nil || !ok || info.Main.Sum != "" {
		return false
	}
	if _, err := os.Stat(filepath.Join(root, "go.mod")); err != nil {
		return false
	}
	below, err := filepath.Rel(root, dir)
	return err == nil && filepath.IsLocal(below)
}

// sibling returns the path of another command of this project: the one next to this program, or else in PATH.
func sibling(name string) (string, error) {
	if self, err := os.Executable(); err == nil {
		if self, err = filepath.EvalSymlinks(self); err == nil {
			near := filepath.Join(filepath.Dir(self), name+filepath.Ext(self))
			if info, err := os.Stat(near); err == nil && info.Mode().IsRegular() {
				return near, nil
			}
		}
	}
	path, err := exec.LookPath(name)
	if err != nil {
		return "", &fetch.Error{Kind: fetch.ErrLocal, Text: name + " is neither next to this program nor in PATH",
			Hint: "in a clone of the project, go install ./cmd/... installs both"}
	}
	return path, nil
}
